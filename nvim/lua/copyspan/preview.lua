--- How an edit looks before it is made: extmarks, and nothing but extmarks. The buffer's text is only read.
local lines = require('copyspan.lines')
local render = require('copyspan.render')
local syntax = require('copyspan.syntax')

local M = {}

---@class copyspan.Hunk: copyspan.Piece `row` is where the hunk was last seen; `rows` asks where it is.
---@field number integer
---@field body? integer The mark over the old lines.
---@field above? integer The mark of the line above the place, where nothing is replaced.
---@field below? integer The mark of the line below the place, where nothing is replaced.

---@class copyspan.Note Words at the end of a line that say how far the model is.
---@field row integer
---@field text string
---@field mark? integer

M.NAMESPACE = vim.api.nvim_create_namespace('copyspan')

---@type table<string, vim.api.keyset.highlight>
local GROUPS = {
  CopyspanDelete = { link = 'DiffDelete' },
  CopyspanDeleteText = { underline = true, bold = true },
  CopyspanAdd = { link = 'DiffAdd' },
  CopyspanAddText = { underline = true, bold = true },
  CopyspanNote = { link = 'Comment' },
}
local PRIORITY = 200 -- above syntax and tree-sitter, as for anything that a person has to decide about

---@param bufnr integer
---@param row integer
---@param column integer
---@param options vim.api.keyset.set_extmark
---@return integer
local function mark(bufnr, row, column, options)
  -- Numbers of marks are used again, and an undo would put the new mark of a number where an old one was.
  options.undo_restore = false
  return vim.api.nvim_buf_set_extmark(bufnr, M.NAMESPACE, row, column, options)
end

---@param bufnr integer
---@param id? integer
---@return integer? row, table? details
local function position(bufnr, id)
  if not id then return nil end
  local found = vim.api.nvim_buf_get_extmark_by_id(bufnr, M.NAMESPACE, id, { details = true })
  return found[1], found[3]
end

--- Where the old lines of a shown hunk are now; nil where the text has changed under it.
---@param bufnr integer
---@param hunk copyspan.Hunk
---@return integer? start, integer? stop
function M.rows(bufnr, hunk)
  local start, stop
  if hunk.body then
    local row, details = position(bufnr, hunk.body)
    start, stop = row, details and details.end_row
  else
    local above, below = position(bufnr, hunk.above), position(bufnr, hunk.below)
    if above and below and above + 1 ~= below then return nil end
    start = below or (above and above + 1)
    stop = start
  end
  if not start or not stop then return nil end
  local is_same = vim.deep_equal(vim.api.nvim_buf_get_lines(bufnr, start, stop, false), hunk.old)
  if not is_same then return nil end
  return start, stop
end

--- Show virtual lines between two lines of the buffer.
---@param bufnr integer
---@param row integer The line that they stand above.
---@param virtual copyspan.Chunk[][]
local function between(bufnr, row, virtual)
  if #virtual == 0 then return end
  local anchor = math.max(row - 1, 0)
  mark(bufnr, anchor, 0, { virt_lines = virtual, virt_lines_above = row == 0, priority = PRIORITY })
  if row > 0 then return end
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do -- above the first line there is no room until it is made
    vim.api.nvim_win_call(window, function()
      if vim.fn.line('w0') == 1 then vim.fn.winrestview({ topline = 1, topfill = #virtual }) end
    end)
  end
end

---@param bufnr integer
---@return copyspan.Look
local function look(bufnr)
  local window = vim.fn.getwininfo(vim.fn.bufwinid(bufnr))[1]
  return { width = window and window.width - window.textoff, tabstop = vim.bo[bufnr].tabstop }
end

--- The words that differ, where old and new lines are alike one by one.
---@param hunk copyspan.Hunk
---@return table<integer, [integer, integer]> old, table<integer, [integer, integer]> new
local function words(hunk)
  local old, new = {}, {}
  for i = 1, #hunk.old == #hunk.new and #hunk.old or 0 do
    local prefix, suffix = lines.common_words(hunk.old[i], hunk.new[i])
    if 2 * (prefix + suffix) >= math.max(#hunk.old[i], #hunk.new[i]) then
      old[i], new[i] = { prefix, #hunk.old[i] - suffix }, { prefix, #hunk.new[i] - suffix }
    end
  end
  return old, new
end

---@param bufnr integer
---@param hunk copyspan.Hunk
---@param label string
---@param hint string
local function place(bufnr, hunk, label, hint)
  local row, num_old = hunk.row, #hunk.old
  local old_words, new_words = words(hunk)
  local style = look(bufnr)
  style.spans, style.changed = syntax.spans(bufnr, hunk.new), new_words
  if num_old == 0 then style.label = label end
  local virtual = render.virtual(hunk.new, style)
  hunk.body, hunk.above, hunk.below = nil, nil, nil
  if num_old > 0 then
    hunk.body = mark(bufnr, row, 0, {
      end_row = row + num_old,
      end_right_gravity = false,
      hl_group = 'CopyspanDelete',
      hl_eol = true,
      priority = PRIORITY,
      virt_text = label ~= '' and { { ' ' .. label, 'CopyspanNote' } } or nil,
    })
    for i, word in pairs(old_words) do
      mark(bufnr, row + i - 1, word[1], { end_col = word[2], hl_group = 'CopyspanDeleteText', priority = PRIORITY + 1 })
    end
  else
    hunk.above = row > 0 and mark(bufnr, row - 1, 0, {}) or nil
    hunk.below = row < vim.api.nvim_buf_line_count(bufnr) and mark(bufnr, row, 0, {}) or nil
  end
  if hint ~= '' then table.insert(virtual, { { ' ' .. hint, { 'CopyspanNote' } } }) end
  between(bufnr, row + num_old, virtual)
end

--- Show what the model is writing: below the lines that it replaces, or, as long as nobody knows which these are, below
--- as many as there are new ones.
---@param session copyspan.Session
---@param passage copyspan.Passage
local function place_passage(session, passage)
  local bufnr = session.bufnr
  local new = lines.split(passage.text, vim.bo[bufnr].fileformat)
  local guess = math.min(passage.line + #new, math.max(session.stop_line, passage.line))
  local start, stop = lines.follow(session.changes, session.version, passage.line, passage.stop or guess)
  if not start or not stop or stop > vim.api.nvim_buf_line_count(bufnr) then return end
  if not passage.stop then return between(bufnr, stop, render.virtual(new, look(bufnr))) end
  local old = vim.api.nvim_buf_get_lines(bufnr, start, stop, false)
  place(bufnr, lines.trim(start, old, new) --[[@as copyspan.Hunk]], '', '')
end

---@param bufnr integer
function M.clear(bufnr) vim.api.nvim_buf_clear_namespace(bufnr, M.NAMESPACE, 0, -1) end

--- Show a session as it is now, and nothing else. Hunks whose text has changed are shown no longer.
---@param session copyspan.Session
---@param hint? string What the keys do; stands below the first hunk.
---@return copyspan.Hunk[] lost Hunks that are shown no longer.
function M.draw(session, hint)
  local bufnr, note = session.bufnr, session.note
  if not vim.api.nvim_buf_is_loaded(bufnr) then return {} end -- on its way out, as the session is
  for name, look_of in pairs(GROUPS) do
    vim.api.nvim_set_hl(0, name, vim.tbl_extend('force', look_of, { default = true }))
  end
  local lost = M.drop_changed(session)
  if note then note.row = position(bufnr, note.mark) or note.row end
  M.clear(bufnr)
  for i, hunk in ipairs(session.hunks) do
    local label = session.is_reviewing and ('%d/%d'):format(hunk.number, session.total) or tostring(hunk.number)
    place(bufnr, hunk, label, i == 1 and hint or '')
  end
  for _, passage in ipairs(session.passages) do
    place_passage(session, passage)
  end
  if note then
    local row = math.min(note.row, vim.api.nvim_buf_line_count(bufnr) - 1)
    note.mark = mark(bufnr, row, 0, { virt_text = { { ' ' .. note.text, 'CopyspanNote' } } })
  end
  return lost
end

--- Forget the hunks whose text has changed, and find out where the others are.
---@param session copyspan.Session
---@return copyspan.Hunk[] lost
function M.drop_changed(session)
  local kept, lost = {}, {}
  for _, hunk in ipairs(session.hunks) do
    local is_new = not (hunk.body or hunk.above or hunk.below)
    local row = is_new and hunk.row or M.rows(session.bufnr, hunk)
    if row then
      hunk.row = row
      table.insert(kept, hunk)
    else
      table.insert(lost, hunk)
    end
  end
  session.hunks = kept
  return lost
end

return M
