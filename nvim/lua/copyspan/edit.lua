--- One edit: from what a person asks to the preview. Refuses what is out of date; writes nothing into the buffer.
local client = require('copyspan.client')
local history = require('copyspan.history')
local keys = require('copyspan.keys')
local lines = require('copyspan.lines')
local messages = require('copyspan.messages')
local preview = require('copyspan.preview')
local review = require('copyspan.review')
local sessions = require('copyspan.session')
local stream = require('copyspan.stream')

local M = {}

local PATIENCE_MS = 1000

---@class copyspan.Ask
---@field instruction string
---@field rows? [integer, integer]
---@field cursor? [integer, integer] Row and byte.

--- End a session that came to nothing, and say why.
---@param session copyspan.Session
---@param text string
---@param level? integer
local function give_up(session, text, level)
  sessions.close(session)
  if text ~= '' then messages.say(text, level) end
end

---@param bufnr integer
---@return string? problem Why a buffer cannot be edited.
local function unfit(bufnr)
  if not vim.bo[bufnr].modifiable then return "This buffer cannot be changed (:help 'modifiable')." end
  local is_unix = vim.bo[bufnr].fileformat == 'unix'
  for i, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    local at = line:find('\r', 1, true)
    if at and not (is_unix and at == #line) then
      local words = 'There is a carriage return inside line %d, where a line ends for language servers. Remove it.'
      return words:format(i)
    end
  end
end

---@param session copyspan.Session
---@param value table
local function on_work_done(session, value)
  local words = value.message or value.title
  if session.note and words then session.note.text = ('copyspan: %s%s'):format(words, keys.cancel_hint()) end
  session.percentage = value.percentage or session.percentage
  vim.cmd.redrawstatus()
  if value.kind ~= 'end' then
    preview.draw(session, session.is_reviewing and keys.hint() or '')
    return
  end
  -- An answer follows at once, except that Neovim keeps from us that somebody else cancelled the request.
  local request = session.request
  vim.defer_fn(function()
    if not (session.is_open and request and session.request == request) then return end
    if session.is_reviewing then
      sessions.forget_request(session)
      preview.draw(session, keys.hint())
    else
      give_up(session, 'The edit was cancelled; nothing was changed.')
    end
  end, PATIENCE_MS)
end

---@param session copyspan.Session
---@param result copyspan.Result
local function show(session, result)
  local hunks, version = {}, result.textDocument.version
  for _, wire in ipairs(result.hunks) do
    local hunk = stream.hunk(session, wire, version, #hunks + 1)
    if not hunk then return give_up(session, messages.CHANGED, vim.log.levels.WARN) end
    if #hunk.old + #hunk.new > 0 then table.insert(hunks, hunk) end -- else only the end of the file differs
  end
  sessions.keep(session, result)
  if #hunks == 0 then return give_up(session, result.message) end
  session.passages, session.hunks, session.total, session.num_accepted = {}, hunks, #hunks, 0
  review.begin(session)
  local which = result.candidates > 1 and (' (answer %d of %d)'):format(result.candidate, result.candidates) or ''
  messages.say(result.message .. which)
end

---@param session copyspan.Session
---@param problem? lsp.ResponseError
---@param result? copyspan.Result
local function on_answer(session, problem, result)
  if not session.is_open then return end
  sessions.forget_request(session)
  if result then return show(session, result) end
  local data = problem and problem.data --[[@as { kind?: string }?]]
  local is_told = type(data) == 'table' and data.kind == 'ModelMissing' -- the server asks whether to download it
  if session.is_reviewing then preview.draw(session, keys.hint()) else sessions.close(session) end
  if problem and not is_told then messages.warn(problem.message) end
end

--- Send a request, and follow it.
---@param session copyspan.Session
---@param method string
---@param params table
---@param row integer Where a note says how far it is.
local function send(session, method, params, row)
  local found = assert(session.client)
  session.note = { row = row, text = 'copyspan' .. keys.cancel_hint() }
  params.workDoneToken = client.listen(function(value) on_work_done(session, value) end)
  session.tokens = { params.workDoneToken }
  if not session.is_reviewing then
    params.partialResultToken = client.listen(function(value)
      stream.take(session, value.items)
      preview.draw(session)
    end)
    table.insert(session.tokens, params.partialResultToken)
  end
  session.request = client.request(found, method, params, session.bufnr, function(problem, result)
    on_answer(session, problem, result)
  end)
  if session.request then
    preview.draw(session, session.is_reviewing and keys.hint() or '')
  else
    sessions.close(session)
  end
end

--- Why a session cannot go on.
---@param session copyspan.Session
---@return string
local function reason(session)
  if not vim.api.nvim_buf_is_loaded(session.bufnr) then return '' end
  if session.client and session.client:is_stopped() then
    return 'The server has stopped; nothing was changed. :checkhealth vim.lsp names its log.'
  end
  return 'The buffer was read again, or the server does not follow it any more; nothing was changed.'
end

--- Begin a session, and call `use` as soon as the server is there.
---@param bufnr integer
---@param use fun(session: copyspan.Session)
local function begin(bufnr, use)
  local session = sessions.open(bufnr)
  session.on_end = vim.schedule_wrap(function()
    if session.is_open then give_up(session, reason(session), vim.log.levels.WARN) end
  end)
  keys.set(bufnr, { 'cancel' })
  client.with(bufnr, function(found, problem)
    if not session.is_open then return end
    if not found then return give_up(session, problem or '', vim.log.levels.ERROR) end
    session.client = found
    use(session)
  end)
end

---@param session copyspan.Session
---@param ask copyspan.Ask
local function request_edit(session, ask)
  local bufnr, encoding = session.bufnr, session.client.offset_encoding
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(bufnr), version = vim.lsp.util.buf_versions[bufnr] },
    instruction = ask.instruction,
  }
  local row = 0
  if ask.rows then
    local start, stop = lines.follow(session.changes, -1, ask.rows[1], ask.rows[2])
    if not start then return give_up(session, messages.CHANGED, vim.log.levels.WARN) end
    params.range = { start = { line = start, character = 0 }, ['end'] = { line = stop, character = 0 } }
    row = start
  elseif ask.cursor then
    row = math.min(ask.cursor[1], vim.api.nvim_buf_line_count(bufnr) - 1)
    local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
    local character = vim.str_utfindex(line, encoding, math.min(ask.cursor[2], #line), false)
    params.position = { line = row, character = character }
  end
  send(session, 'copyspan/edit', params, row)
end

---@param bufnr integer
---@return [integer, integer]?
local function cursor(bufnr)
  local window = vim.api.nvim_get_current_buf() == bufnr and 0 or vim.fn.bufwinid(bufnr)
  if window == -1 then return nil end
  local found = vim.api.nvim_win_get_cursor(window)
  return { found[1] - 1, found[2] }
end

--- Make an edit, and ask for an instruction where there is none.
---@param options copyspan.EditOptions
function M.edit(options)
  local bufnr = options.bufnr or vim.api.nvim_get_current_buf()
  local problem = unfit(bufnr)
  if problem then return messages.warn(problem) end
  local rows, tick, at = options.rows, vim.b[bufnr].changedtick, cursor(bufnr)
  local function go(instruction)
    history.add(instruction)
    if not vim.api.nvim_buf_is_loaded(bufnr) then return end
    if vim.b[bufnr].changedtick ~= tick then
      return messages.warn('The buffer was changed while you wrote. Ask again; <Up> brings the instruction back.')
    end
    begin(bufnr, function(session) request_edit(session, { instruction = instruction, rows = rows, cursor = at }) end)
  end
  local instruction = vim.trim(options.instruction or '')
  if instruction ~= '' then return go(instruction) end
  local what = rows and (rows[2] - rows[1] == 1 and ' of line %d' or ' of lines %d-%d'):format(rows[1] + 1, rows[2])
  history.ask(('AI edit%s: '):format(what or ''), go)
end

--- Ask for an instruction for the lines of a code action, and make the edit.
---@param command lsp.Command
---@param context { bufnr: integer }
function M.ask(command, context)
  local range = command.arguments[1].range --[[@as lsp.Range]]
  local stop = range['end']
  local last = stop.character > 0 and stop.line + 1 or math.max(stop.line, range.start.line + 1)
  M.edit({ bufnr = context.bufnr, rows = { range.start.line, last } })
end

--- Another answer to the last instruction of a buffer. A preview stays until it is there.
---@param bufnr integer
function M.next(bufnr)
  local result = sessions.result(bufnr)
  local session = sessions.get(bufnr)
  if session and session.request then return messages.warn('The model is still at work.') end
  if not result then return messages.warn('There was no edit in this buffer yet; :Copyspan makes one.') end
  local function go(of) send(of, 'copyspan/next', { editId = result.editId }, (cursor(bufnr) or { 0 })[1]) end
  if session and session.is_reviewing then go(session) else begin(bufnr, go) end
end

--- Stop the model, or end the preview.
---@param bufnr integer
function M.cancel(bufnr)
  local session = sessions.get(bufnr)
  if not session then return messages.warn('There is nothing to cancel in this buffer.') end
  if session.is_reviewing and session.request then
    sessions.stop(session)
    preview.draw(session, keys.hint())
    return messages.say('The search was cancelled.')
  end
  local what = session.is_reviewing and 'The preview was ended' or 'The edit was cancelled'
  give_up(session, what .. (session.num_accepted > 0 and '; what was accepted stays.' or '; nothing was changed.'))
end

return M
