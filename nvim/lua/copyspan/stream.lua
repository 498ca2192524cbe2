--- From what the server tells of an edit to hunks and passages of the buffer as it is now. Draws nothing.
local lines = require('copyspan.lines')

local M = {}

--- A hunk as it is shown, or nil where the text that it is about has changed.
---@param session copyspan.Session
---@param wire copyspan.WireHunk
---@param version integer
---@param number integer
---@return copyspan.Hunk?
function M.hunk(session, wire, version, number)
  local piece = lines.piece(wire, vim.bo[session.bufnr].fileformat)
  local is_empty = vim.deep_equal(vim.api.nvim_buf_get_lines(session.bufnr, 0, -1, false), { '' })
  if is_empty and #piece.old == 0 then piece.old = { '' } end -- Vim's way to show an empty file
  local start, stop = lines.follow(session.changes, version, piece.row, piece.row + #piece.old)
  if not start or not stop then return nil end
  local found = vim.api.nvim_buf_get_lines(session.bufnr, start, stop, false)
  if start > vim.api.nvim_buf_line_count(session.bufnr) or not vim.deep_equal(found, piece.old) then return nil end
  return { row = start, old = piece.old, new = piece.new, number = number }
end

---@param session copyspan.Session
---@param wire copyspan.WireHunk
local function stream_hunk(session, wire)
  local first, last = wire.range.start.line, wire.range['end'].line
  session.passages = vim.tbl_filter(function(passage)
    return passage.line > last or (passage.stop or passage.line) < first
  end, session.passages)
  local hunk = M.hunk(session, wire, session.version, #session.hunks + 1)
  if hunk then table.insert(session.hunks, hunk) end -- else the server stops by itself, as the scope has changed
end

---@param session copyspan.Session
---@param item copyspan.PartialResult
local function stream(session, item)
  local passage = session.passages[#session.passages]
  if item.kind == 'answer' then
    session.version, session.stop_line = item.textDocument.version, item.scope.range['end'].line
    session.hunks, session.passages = {}, {}
  elseif item.kind == 'text' and passage and passage.line == item.line and not passage.stop then
    passage.text = passage.text .. item.text
  elseif item.kind == 'text' then
    table.insert(session.passages, { line = item.line, text = item.text })
  elseif item.kind == 'copied' and passage and not passage.stop then
    passage.stop = math.max(item.startLine, passage.line)
  elseif item.kind == 'hunk' then
    stream_hunk(session, item.hunk)
  end
end

--- Take in what the server told, in order.
---@param session copyspan.Session
---@param items copyspan.PartialResult[]
function M.take(session, items)
  for _, item in ipairs(items) do
    stream(session, item)
  end
end

return M
