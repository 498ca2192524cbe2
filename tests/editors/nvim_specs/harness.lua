-- Runs the cases of one spec in this Neovim, each in a buffer of its own, and leaves with a status.
-- After every case nothing of the plugin may be left: no extmark, no mapping, no autocommand, no session.
local H = {}

local WAIT_MS = 15000
local failures, num_cases = {}, 0

H.said = {} ---@type string[] What a person was told in this case.
vim.notify = function(text) table.insert(H.said, text) end
vim.o.swapfile = false
vim.lsp.log.set_level('debug')

--- Fail unless two values are equal.
function H.equal(actual, expected, what)
  if vim.deep_equal(actual, expected) then return end
  local words = ('%s\nexpected %s\ngot      %s'):format(what or '', vim.inspect(expected), vim.inspect(actual))
  error(words .. '\nsaid: ' .. vim.inspect(H.said), 2)
end

function H.await(what, condition)
  if vim.wait(WAIT_MS, condition, 5) then return end
  error(('Waited in vain for %s; said: %s'):format(what, vim.inspect(H.said)), 2)
end

--- Wait until a person was told something that matches.
function H.await_said(pattern)
  H.await(pattern, function()
    return vim.iter(H.said):any(function(text) return text:find(pattern) ~= nil end)
  end)
end

--- Type keys as a person does, in normal mode.
function H.type(keys) vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false) end

function H.lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end

function H.session() return require('copyspan.session').get(vim.api.nvim_get_current_buf()) end

function H.await_preview()
  H.await('the preview', function()
    local session = H.session()
    return session ~= nil and session.is_reviewing and session.request == nil
  end)
end

function H.await_end()
  H.await('the end of the session', function() return H.session() == nil end)
end

---@return table[] marks
function H.marks()
  local namespace = vim.api.nvim_get_namespaces().copyspan
  return namespace and vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true }) or {}
end

local function text_of(chunks)
  return vim.trim(vim.iter(chunks):map(function(chunk) return chunk[1] end):join(''))
end

--- What a person sees: { removed = rows, added = { "row: text" }, labels = { "row: text" } }.
function H.shown()
  local removed, added, labels = {}, {}, {}
  for _, mark in ipairs(H.marks()) do
    local row, details = mark[2], mark[4]
    for i = row, details.hl_group == 'CopyspanDelete' and details.end_row - 1 or -1 do
      table.insert(removed, i)
    end
    for _, chunks in ipairs(details.virt_lines or {}) do
      local group = chunks[1][2]
      if type(group) == 'table' then group = group[1] end
      local place = details.virt_lines_above and 'above' or 'below'
      table.insert(group == 'CopyspanAdd' and added or labels, ('%s %d: %s'):format(place, row, text_of(chunks)))
    end
    if details.virt_text then table.insert(labels, ('%d: %s'):format(row, text_of(details.virt_text))) end
  end
  return { removed = removed, added = added, labels = labels }
end

--- The buffer's own mappings of the plugin.
function H.keys()
  return vim
    .iter(vim.api.nvim_buf_get_keymap(0, 'n'))
    :filter(function(mapping) return vim.startswith(mapping.desc or '', 'copyspan: ') end)
    :map(function(mapping) return mapping.lhs end)
    :totable()
end

local function autocommands() return #vim.api.nvim_get_autocmds({ event = 'LspDetach', buffer = 0 }) end

function H.check_clean()
  H.equal(H.session(), nil, 'a session is left')
  H.equal(H.marks(), {}, 'extmarks are left')
  H.equal(H.keys(), {}, 'keys are left')
  H.equal(autocommands(), 0, 'autocommands are left')
end

--- One case: a new file with these lines, then the steps.
---@param name string
---@param lines string[]
---@param steps fun()
---@param options? { fileformat?: string, endofline?: boolean, filetype?: string }
function H.case(name, lines, steps, options)
  num_cases = num_cases + 1
  H.said = {}
  local is_done, problem = xpcall(function()
    vim.cmd.edit(vim.fn.fnameescape(('%s/case_%d.py'):format(vim.fs.dirname(vim.env.COPYSPAN_DOCUMENT), num_cases)))
    for option, value in pairs(options or {}) do
      vim.bo[option] = value
    end
    vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
    vim.cmd('silent write')
    steps()
    H.await_end()
    H.check_clean()
  end, debug.traceback)
  if not is_done then table.insert(failures, ('%s: %s'):format(name, problem)) end
  vim.cmd('%bwipeout!')
end

--- Leave Neovim: with an error where a case has failed.
function H.finish()
  for _, failure in ipairs(failures) do
    io.stderr:write('FAILED ' .. failure .. '\n\n')
  end
  if #failures > 0 then vim.cmd.cquit() end
  assert(num_cases > 0)
  vim.cmd('qall!')
end

return H
