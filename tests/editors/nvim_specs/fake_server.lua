-- A language server inside Neovim that answers copyspan/edit as a case wants it, at the moment that the case wants.
local F = {}

F.requests = {} ---@type { method: string, params: table, reply: fun(problem?: table, result?: table) }[]
F.cancelled = {} ---@type integer[]
local dispatchers

local CAPABILITIES = {
  positionEncoding = 'utf-16',
  textDocumentSync = { openClose = true, change = 2 },
}

--- For `cmd` of the client's configuration.
function F.start(given)
  dispatchers = given
  local num_requests, is_closing = 0, false
  return {
    request = function(method, params, reply)
      num_requests = num_requests + 1
      if method == 'initialize' then
        reply(nil, { capabilities = CAPABILITIES })
      elseif method == 'shutdown' then
        reply(nil, vim.NIL)
      else
        table.insert(F.requests, { method = method, params = params, reply = reply })
      end
      return true, num_requests
    end,
    notify = function(method, params)
      if method == '$/cancelRequest' then table.insert(F.cancelled, params.id) end
      if method == 'exit' then
        is_closing = true
        given.on_exit(0, 0)
      end
    end,
    is_closing = function() return is_closing end,
    terminate = function() is_closing = true end,
  }
end

--- Use it in the place of the real server.
function F.use() vim.lsp.config('copyspan', { cmd = F.start }) end

function F.last() return F.requests[#F.requests] end

--- Report progress of the last request.
---@param kind 'workDoneToken'|'partialResultToken'
function F.progress(kind, value)
  dispatchers.notification('$/progress', { token = F.last().params[kind], value = value })
end

--- A hunk: { line, character }, { line, character }, old text, new text.
function F.hunk(start, stop, old, new)
  local function position(at) return { line = at[1], character = at[2] } end
  return { range = { start = position(start), ['end'] = position(stop) }, oldText = old, newText = new, edits = {} }
end

--- The result of the last request, in the version that it was asked for or in another.
function F.result(hunks, version)
  local document = F.last().params.textDocument
  return {
    editId = 'fake',
    textDocument = { uri = document.uri, version = version or document.version },
    scope = { range = F.hunk({ 0, 0 }, { 99, 0 }).range, kind = 'document', title = 'the whole document' },
    hunks = hunks,
    candidate = 1,
    candidates = 1,
    program = '<program>\n</program>\n',
    message = #hunks > 0 and 'lines changed' or 'The model would change nothing.',
    cost = {},
  }
end

function F.answer(hunks, version) F.last().reply(nil, F.result(hunks, version)) end

function F.refuse(message, code, kind) F.last().reply({ message = message, code = code, data = { kind = kind } }) end

return F
