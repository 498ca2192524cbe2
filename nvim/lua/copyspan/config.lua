--- `vim.g.copyspan`, with what holds where it is silent. Knows no server: its settings go through |vim.lsp.config()|.
local M = {}

---@class copyspan.Config
---@field cmd? string[] The command that starts the server.
---@field keys? table<string, string|false>|false Keys during a preview, by action; false takes one away, or all.

M.KEYS = {
  ['accept'] = 'ga',
  ['accept-all'] = 'gA',
  ['reject'] = 'gz',
  ['reject-all'] = 'gZ',
  ['next-hunk'] = ']c',
  ['previous-hunk'] = '[c',
  ['next'] = 'gl',
  ['program'] = 'gy',
  ['cancel'] = '<C-c>',
}

---@return table
local function given() return type(vim.g.copyspan) == 'table' and vim.g.copyspan or {} end

---@param value any
---@return boolean
local function is_command(value) return vim.islist(value) and #value > 0 and type(value[1]) == 'string' end

--- The key of every action that has one.
---@return table<string, string>
function M.keys()
  local keys = given().keys
  if keys == false then return {} end
  local found = {}
  for action, key in pairs(vim.tbl_extend('force', M.KEYS, type(keys) == 'table' and keys or {})) do
    if M.KEYS[action] and type(key) == 'string' and key ~= '' then found[action] = key end
  end
  return found
end

--- The command that starts the server: the one in vim.g.copyspan, else `copyspan` in $PATH, else that of the
--- repository around this plugin. Where there is none, the command that is missing.
---@return string[]
function M.command()
  local cmd = given().cmd
  if is_command(cmd) then return cmd end
  if vim.fn.executable('copyspan') == 1 then return { 'copyspan', 'serve' } end
  local here = debug.getinfo(1, 'S').source:sub(2)
  local repository = vim.fs.normalize(vim.uv.fs_realpath(here) or here):match('^(.*)/nvim/lua/copyspan/')
  for _, program in ipairs(repository and { '/.venv/bin/copyspan', '/.venv/Scripts/copyspan.exe' } or {}) do
    if vim.fn.executable(repository .. program) == 1 then return { repository .. program, 'serve' } end
  end
  return { 'copyspan', 'serve' }
end

--- What is wrong with vim.g.copyspan, a sentence each.
---@return string[]
function M.problems()
  if vim.g.copyspan ~= nil and type(vim.g.copyspan) ~= 'table' then return { 'vim.g.copyspan has to be a table.' } end
  local problems = {}
  local config = given()
  for name in vim.spairs(config) do
    if name ~= 'cmd' and name ~= 'keys' then
      table.insert(problems, ('vim.g.copyspan has no %s; there are cmd and keys.'):format(name))
    end
  end
  if config.cmd ~= nil and not is_command(config.cmd) then
    table.insert(problems, "vim.g.copyspan.cmd has to be a list such as { 'copyspan', 'serve' }.")
  end
  if config.keys ~= nil and config.keys ~= false and type(config.keys) ~= 'table' then
    table.insert(problems, 'vim.g.copyspan.keys has to be a table or false.')
  end
  for action, key in vim.spairs(type(config.keys) == 'table' and config.keys or {}) do
    if not M.KEYS[action] then
      local known = table.concat(vim.fn.sort(vim.tbl_keys(M.KEYS)), ', ')
      table.insert(problems, ('vim.g.copyspan.keys has no action %s; there are %s.'):format(action, known))
    elseif key ~= false and type(key) ~= 'string' then
      table.insert(problems, ('The key of %s in vim.g.copyspan.keys has to be a text or false.'):format(action))
    end
  end
  return problems
end

return M
