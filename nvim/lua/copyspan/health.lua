--- `:checkhealth copyspan`.
local client = require('copyspan.client')
local config = require('copyspan.config')
local status = require('copyspan.status')

local M = {}

local WAIT_MS = 10000

local function check_editor()
  if vim.fn.has('nvim-0.11') == 0 then return vim.health.error('Neovim is older than 0.11.') end
  vim.health.ok('Neovim ' .. tostring(vim.version()))
  local problems = config.problems()
  for _, problem in ipairs(problems) do
    vim.health.warn(problem, { ':help copyspan-config' })
  end
  if #problems == 0 then vim.health.ok('vim.g.copyspan is in order') end
  for action, key in vim.spairs(config.keys()) do
    local mapping = vim.fn.maparg(key, 'n', false, true)
    if not vim.tbl_isempty(mapping) and mapping.buffer == 0 then
      vim.health.info(('%s is a mapping of yours; during a preview it means: %s'):format(key, action))
    end
  end
end

---@param command string[]
local function check_program(command)
  local program = command[1]
  if vim.fn.executable(program) == 0 then
    return vim.health.error(('%s is not there'):format(program), {
      'Install copyspan so that `copyspan` is in $PATH, or run `make demo` in a clone of its repository,',
      "or name it: vim.g.copyspan = { cmd = { '/path/to/copyspan', 'serve' } }",
    })
  end
  vim.health.ok(('The server is %s'):format(table.concat(command, ' ')))
  if vim.fs.basename(program):gsub('%.exe$', '') ~= 'copyspan' then return end
  local done = vim.system({ program, '--version' }, { text = true, timeout = WAIT_MS }):wait()
  local said = vim.trim((done.stdout or '') .. (done.stderr or ''))
  if done.code == 0 then
    vim.health.ok(said)
  else
    vim.health.error(('%s --version fails'):format(program), said)
  end
end

local function check_server()
  local settings = vim.lsp.config[client.NAME]
  if not settings then
    return vim.health.error('lsp/copyspan.lua is not in the runtime path', ':help copyspan-install')
  end
  if type(settings.cmd) == 'table' then check_program(settings.cmd) end
  if vim.lsp.is_enabled(client.NAME) then
    vim.health.ok('Enabled: code actions are there in every file')
  else
    vim.health.info("Not enabled: :Copyspan works, code actions come with vim.lsp.enable('copyspan')")
  end
  local found = client.find()
  if not found then return vim.health.info('No server is running; the first edit starts one') end
  local answer = found:request_sync('copyspan/status', vim.empty_dict(), WAIT_MS)
  if answer and answer.result then
    vim.health.ok('The server is running. ' .. status.sentence(answer.result))
  else
    vim.health.warn('The server does not answer', ':checkhealth vim.lsp names its log')
  end
end

function M.check()
  vim.health.start('copyspan: editor')
  check_editor()
  vim.health.start('copyspan: server')
  check_server()
end

return M
