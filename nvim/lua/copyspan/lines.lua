--- Lines and rows. Pure: knows no buffer and no server. Rows count from 0, and ranges are half-open.
local M = {}

---@class copyspan.Change One change of a buffer: its lines first..last-1 became first..new_last-1.
---@field tick integer The buffer's changedtick afterwards.
---@field first integer
---@field last integer
---@field new_last integer

---@class copyspan.Piece Lines that become other lines.
---@field row integer
---@field old string[]
---@field new string[]

local TERMINATORS = { dos = '\r?\n', mac = '\r', unix = '\n' }

--- A text's lines as a buffer holds them.
---@param text string
---@param fileformat 'dos'|'mac'|'unix'
---@return string[]
function M.split(text, fileformat)
  local lines = vim.split(text, TERMINATORS[fileformat])
  if lines[#lines] == '' then table.remove(lines) end
  return lines
end

--- Without the lines that old and new share at the start and at the end.
---@param row integer
---@param old string[]
---@param new string[]
---@return copyspan.Piece
function M.trim(row, old, new)
  local most, before, after = math.min(#old, #new), 0, 0
  while before < most and old[before + 1] == new[before + 1] do
    before = before + 1
  end
  while after < most - before and old[#old - after] == new[#new - after] do
    after = after + 1
  end
  return {
    row = row + before,
    old = vim.list_slice(old, before + 1, #old - after),
    new = vim.list_slice(new, before + 1, #new - after),
  }
end

--- A hunk of the protocol in lines of a buffer.
---@param hunk copyspan.WireHunk
---@param fileformat 'dos'|'mac'|'unix'
---@return copyspan.Piece
function M.piece(hunk, fileformat)
  local row = hunk.range.start.line
  local old, new = M.split(hunk.oldText, fileformat), M.split(hunk.newText, fileformat)
  if hunk.range.start.character > 0 then -- below a last line without an end, which the new text brings along
    row = row + 1
    table.remove(new, 1)
  end
  return M.trim(row, old, new)
end

---@param text string
---@param index integer
---@return boolean
local function is_inside_character(text, index)
  local byte = text:byte(index)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

--- Where two lines differ: the number of bytes that they share at the start, and at the end.
---@param old string
---@param new string
---@return integer prefix, integer suffix
function M.common(old, new)
  local most = math.min(#old, #new)
  local prefix = 0
  while prefix < most and old:byte(prefix + 1) == new:byte(prefix + 1) do
    prefix = prefix + 1
  end
  while prefix > 0 and (is_inside_character(old, prefix + 1) or is_inside_character(new, prefix + 1)) do
    prefix = prefix - 1
  end
  local suffix = 0
  while suffix < most - prefix and old:byte(#old - suffix) == new:byte(#new - suffix) do
    suffix = suffix + 1
  end
  while suffix > 0 and is_inside_character(old, #old - suffix + 1) do
    suffix = suffix - 1
  end
  return prefix, suffix
end

---@param text string
---@param index integer
---@return boolean
local function is_word(text, index) return text:sub(index, index):find('[%w_\128-\255]') ~= nil end

--- As `common`, without words that the two lines share in part.
---@param old string
---@param new string
---@return integer prefix, integer suffix
function M.common_words(old, new)
  local prefix, suffix = M.common(old, new)
  local function is_cut_before(text) return is_word(text, prefix + 1) and prefix < #text - suffix end
  local function is_cut_after(text) return is_word(text, #text - suffix) and prefix < #text - suffix end
  if is_cut_before(old) or is_cut_before(new) then
    while prefix > 0 and is_word(old, prefix) do
      prefix = prefix - 1
    end
  end
  if is_cut_after(old) or is_cut_after(new) then
    while suffix > 0 and is_word(old, #old - suffix + 1) do
      suffix = suffix - 1
    end
  end
  return prefix, suffix
end

--- Where lines of an earlier version are now; nil where a change touched them. Empty ranges are places between lines.
---@param changes copyspan.Change[]
---@param since integer The version that the rows are of.
---@param start integer
---@param stop integer
---@return integer? start, integer? stop
function M.follow(changes, since, start, stop)
  for _, change in ipairs(changes) do
    local growth = change.new_last - change.last
    if change.tick <= since or change.first > stop or (change.first == stop and start < stop) then
      -- older, or below
    elseif start == stop and growth == 0 and (change.last <= start or change.first == start) then
      -- a line beside the place
    elseif change.last <= start and not (start == stop and change.last == start) then
      start, stop = start + growth, stop + growth
    elseif not (start == stop and change.first == start and growth < 0) then
      return nil, nil
    end
  end
  return start, stop
end

return M
