-- Takes the AI edit at the instruction comment, writes the document, undoes once, writes what that gave elsewhere.
local SECONDS = 1000

local function await(what, seconds, condition)
  if not vim.wait(seconds * SECONDS, condition, 10) then error('Waited ' .. seconds .. ' s in vain for ' .. what) end
end

local function take_edit()
  await('the server', 20, function()
    local client = vim.lsp.get_clients({ bufnr = 0, name = 'copyspan' })[1]
    return client and client.initialized
  end)
  vim.fn.search('ai:')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action) return vim.startswith(action.title, 'AI edit: ') end,
  })
  await('the edit', 20, function() return vim.fn.search('ai:', 'nw') == 0 end)
  vim.cmd.write()
  vim.cmd.undo()
  vim.cmd.write(vim.fn.fnameescape(vim.env.COPYSPAN_UNDONE))
end

local is_done, problem = pcall(take_edit)
if not is_done then
  io.stderr:write(problem .. '\n')
  vim.cmd.cquit()
end
vim.cmd('qall!')
