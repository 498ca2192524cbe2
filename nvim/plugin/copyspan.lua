-- Commands, <Plug> mappings and the command of the server's "AI edit...". Nothing else is loaded before one is used.
if vim.g.loaded_copyspan then return end
vim.g.loaded_copyspan = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('copyspan needs Neovim 0.11 or later.', vim.log.levels.WARN)
  return
end

---@param name string
---@param act fun(args: vim.api.keyset.create_user_command.command_args)
---@param options vim.api.keyset.user_command
local function command(name, act, options) vim.api.nvim_create_user_command(name, act, options) end

command('Copyspan', function(args)
  local rows = args.range > 0 and { args.line1 - 1, args.line2 } or nil
  require('copyspan').edit({ instruction = args.args, rows = rows })
end, {
  nargs = '*',
  range = true,
  desc = 'Edit the range, or what surrounds the cursor, as the instruction says',
  complete = function(...) return require('copyspan.history').complete_command(...) end,
})
command('CopyspanAccept', function(args) require('copyspan').accept({ all = args.bang }) end, {
  bang = true,
  desc = 'Accept the hunk under the cursor; with ! all',
})
command('CopyspanReject', function(args) require('copyspan').reject({ all = args.bang }) end, {
  bang = true,
  desc = 'Reject the hunk under the cursor; with ! all',
})
command('CopyspanNext', function() require('copyspan').next() end, { desc = 'Look for another answer' })
command('CopyspanCancel', function() require('copyspan').cancel() end, { desc = 'Stop the model, end the preview' })
command('CopyspanProgram', function() require('copyspan').program() end, { desc = 'Show how the edit was made' })
command('CopyspanStatus', function() require('copyspan').show_status() end, { desc = 'Say what the server does' })

for action, act in pairs({
  ['accept'] = function() require('copyspan').accept() end,
  ['accept-all'] = function() require('copyspan').accept({ all = true }) end,
  ['reject'] = function() require('copyspan').reject() end,
  ['reject-all'] = function() require('copyspan').reject({ all = true }) end,
  ['next-hunk'] = function() require('copyspan').go(1) end,
  ['previous-hunk'] = function() require('copyspan').go(-1) end,
  ['next'] = function() require('copyspan').next() end,
  ['cancel'] = function() require('copyspan').cancel() end,
  ['program'] = function() require('copyspan').program() end,
}) do
  vim.keymap.set('n', ('<Plug>(copyspan-%s)'):format(action), act)
end
vim.keymap.set('n', '<Plug>(copyspan)', function() require('copyspan').edit() end)
vim.keymap.set('x', '<Plug>(copyspan)', ':Copyspan<CR>')

vim.lsp.commands['copyspan.ask'] = function(...) require('copyspan').ask(...) end
