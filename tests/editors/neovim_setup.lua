-- What a person without our plugin writes into init.lua, and the sign by which a test sees that the client is attached.
vim.lsp.set_log_level('debug')
vim.lsp.config('copyspan', {
  cmd = vim.json.decode(vim.env.COPYSPAN_SERVER),
  filetypes = { 'python' },
  root_markers = { '.git' },
})
vim.lsp.enable('copyspan')
vim.o.fixendofline = false -- the tests compare whole files
vim.o.swapfile = false
vim.api.nvim_create_autocmd('LspAttach', {
  callback = function() vim.fn.writefile({}, vim.env.COPYSPAN_ATTACHED) end,
})
