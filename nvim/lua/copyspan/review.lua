--- A person decides about hunks. The only module that writes into a buffer.
local keys = require('copyspan.keys')
local lines = require('copyspan.lines')
local messages = require('copyspan.messages')
local preview = require('copyspan.preview')
local sessions = require('copyspan.session')

local M = {}

--- The session of the current buffer, if hunks wait there; else says why not.
---@return copyspan.Session?
local function current()
  local session = sessions.get(vim.api.nvim_get_current_buf())
  if session and session.is_reviewing then return session end
  messages.warn(session and 'The model is still at work.' or 'There is no preview in this buffer.')
end

---@param row integer
local function move_to(row)
  local last = vim.api.nvim_buf_line_count(0)
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { math.min(row + 1, last), 0 })
  vim.cmd('normal! zv')
end

--- A row of a hunk that the cursor can be on: the first old line, or the line above the place.
---@param hunk copyspan.Hunk
---@return integer
local function home(hunk) return #hunk.old > 0 and hunk.row or math.max(hunk.row - 1, 0) end

--- The hunk that comes after a row in a direction, around the end of the buffer.
---@param session copyspan.Session
---@param row integer
---@param direction 1|-1
---@return copyspan.Hunk
local function neighbour(session, row, direction)
  local hunks = session.hunks
  local first, last = direction == 1 and 1 or #hunks, direction == 1 and #hunks or 1
  for i = first, last, direction do
    if (home(hunks[i]) - row) * direction > 0 then return hunks[i] end
  end
  return hunks[first]
end

---@param session copyspan.Session
---@return copyspan.Hunk?
local function under_cursor(session)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, hunk in ipairs(session.hunks) do
    if home(hunk) <= row and row < math.max(hunk.row + #hunk.old, home(hunk) + 1) then return hunk end
  end
end

---@param lost copyspan.Hunk[]
local function say_lost(lost)
  if #lost == 0 then return end
  local numbers = table.concat(vim.tbl_map(function(hunk) return hunk.number end, lost), ', ')
  messages.say(('The text of hunk %s was changed by hand; it is not offered any more.'):format(numbers))
end

--- Draw again, or end the session where nothing is left to decide.
---@param session copyspan.Session
local function refresh(session)
  say_lost(preview.draw(session, keys.hint()))
  if #session.hunks > 0 then return end
  local accepted, total = session.num_accepted, session.total
  sessions.close(session)
  local words = accepted == 0 and 'Nothing was changed.' or '%d of %d hunks accepted; u undoes it.'
  messages.say(words:format(accepted, total))
end

--- The marks a-z on some lines, as arguments of nvim_buf_set_mark.
---@param bufnr integer
---@param start integer
---@param stop integer
---@return [string, integer, integer][]
local function marks_on(bufnr, start, stop)
  local found = {}
  for _, entry in ipairs(vim.fn.getmarklist(bufnr)) do
    local name, line, column = entry.mark:match("^'(%l)$"), entry.pos[2], entry.pos[3]
    if name and start < line and line <= stop then table.insert(found, { name, line, column - 1 }) end
  end
  return found
end

--- Put new lines in the place of old ones. Lines that have a counterpart are changed only where they differ, and keep
--- their marks.
---@param bufnr integer
---@param hunk copyspan.Piece
local function write(bufnr, hunk)
  local num_pairs = math.min(#hunk.old, #hunk.new)
  local marks = marks_on(bufnr, hunk.row, hunk.row + num_pairs)
  for i = 1, num_pairs do
    local row, old, new = hunk.row + i - 1, hunk.old[i], hunk.new[i]
    local prefix, suffix = lines.common(old, new)
    if old ~= new then
      local text = new:sub(prefix + 1, #new - suffix)
      vim.api.nvim_buf_set_text(bufnr, row, prefix, row, #old - suffix, { text })
    end
  end
  local rest = vim.list_slice(hunk.new, num_pairs + 1)
  if #hunk.old ~= num_pairs or #rest > 0 then
    vim.api.nvim_buf_set_lines(bufnr, hunk.row + num_pairs, hunk.row + #hunk.old, true, rest)
  end
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_set_mark(bufnr, mark[1], mark[2], mark[3], {})
  end
end

--- Write hunks into the buffer as one undo step, the last one first so that the others stay where they are.
---@param session copyspan.Session
---@param hunks copyspan.Hunk[]
local function apply(session, hunks)
  local bufnr = session.bufnr
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels -- what was typed before is a step of its own
  for i = #hunks, 1, -1 do
    write(bufnr, hunks[i])
  end
  session.num_accepted = session.num_accepted + #hunks
end

--- Take some hunks out of a session, do something with them, and go on.
---@param is_all boolean
---@param act? fun(session: copyspan.Session, hunks: copyspan.Hunk[])
local function decide(is_all, act)
  local session = current()
  if not session then return end
  say_lost(preview.drop_changed(session))
  local hunk = not is_all and under_cursor(session) or nil
  if not is_all and not hunk and #session.hunks > 0 then
    M.go(1)
    return messages.say('The cursor was on no hunk; now it is on the next one.')
  end
  if act and not vim.bo[session.bufnr].modifiable then return messages.warn('This buffer cannot be changed.') end
  sessions.stop(session)
  local chosen = is_all and session.hunks or { hunk }
  if act then act(session, chosen) end
  session.hunks = vim.tbl_filter(function(other) return not vim.list_contains(chosen, other) end, session.hunks)
  refresh(session)
  if hunk and session.is_open then move_to(home(neighbour(session, hunk.row - 1, 1))) end
end

--- Show the hunks of a session for decision.
---@param session copyspan.Session
function M.begin(session)
  session.is_reviewing = true
  local is_due = false
  session.on_change = function()
    if is_due then return end
    is_due = true
    vim.schedule(function()
      is_due = false
      if session.is_open and session.is_reviewing then M.check(session) end
    end)
  end
  keys.set(session.bufnr)
  preview.draw(session, keys.hint())
  vim.cmd.redrawstatus()
end

--- End the preview of hunks whose text is not what it was.
---@param session copyspan.Session
function M.check(session)
  local before = #session.hunks
  local lost = preview.drop_changed(session)
  if #lost == 0 then return end
  say_lost(lost)
  if #session.hunks < before then refresh(session) end
end

--- Accept the hunk under the cursor, or all. One undo step.
---@param is_all boolean
function M.accept(is_all) decide(is_all, apply) end

--- Reject the hunk under the cursor, or all. The buffer is not touched.
---@param is_all boolean
function M.reject(is_all) decide(is_all) end

--- To the next hunk, or the previous one.
---@param direction 1|-1
function M.go(direction)
  local session = current()
  if not session then return end
  say_lost(preview.drop_changed(session))
  if #session.hunks == 0 then return end
  move_to(home(neighbour(session, vim.api.nvim_win_get_cursor(0)[1] - 1, direction)))
end

return M
