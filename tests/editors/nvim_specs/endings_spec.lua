-- All the ways in which an edit comes to nothing, with the real server.
local H = dofile(vim.env.COPYSPAN_SPECS .. '/harness.lua')

local LINES = {}
for i = 0, 19 do
  table.insert(LINES, ('total%d = %d'):format(i, i))
end

local function ask_slowly()
  vim.cmd('Copyspan replace total with amount [slow]')
  H.await('the stream', function() return #H.shown().added > 0 end)
end

H.case('cancel stops the model, and the next edit begins at once', LINES, function()
  ask_slowly()
  H.type('<C-c>')
  H.await_said('The edit was cancelled; nothing was changed')
  H.check_clean()
  H.equal(H.lines(), LINES)
  vim.cmd('3,4Copyspan replace total with amount')
  H.await_preview()
  H.equal(H.shown().removed, { 2, 3 })
  vim.cmd('CopyspanCancel')
end)

H.case('typing inside the scope while the model works refuses the edit', LINES, function()
  ask_slowly()
  H.type(':10<CR>Ax<Esc>')
  H.await_said('The lines were changed while they were being edited')
  H.equal(H.lines()[10], LINES[10] .. 'x')
end)

H.case('typing above and below the scope while the model works moves the edit', LINES, function()
  vim.cmd('5,12Copyspan replace total with amount [slow]')
  H.await('the stream', function() return #H.shown().added > 0 end)
  H.type('ggOabove<Esc>')
  H.type('Gobelow<Esc>')
  H.await_preview()
  H.equal(H.shown().removed, { 5, 6, 7, 8, 9, 10, 11, 12 })
  H.type('gA')
  local found = H.lines()
  H.equal({ found[5], found[6], found[13], found[14] }, { LINES[4], 'amount4 = 4', 'amount11 = 11', LINES[13] })
end)

H.case('an answer that is refused', LINES, function()
  vim.cmd('Copyspan write the placeholder')
  H.await_end()
  assert(#H.said > 0)
  H.equal(H.lines(), LINES)
end)

H.case('a fault of the server', LINES, function()
  vim.cmd('Copyspan [bug]')
  H.await_said('failed unexpectedly')
  assert(not table.concat(H.said):find('SECRET'))
end)

H.case('the file is read again', LINES, function()
  ask_slowly()
  vim.cmd('edit!')
  H.await_said('The buffer was read again')
end)

H.case('the buffer goes away', LINES, function()
  ask_slowly()
  vim.cmd('bwipeout!')
end)

H.case('the server ends', LINES, function()
  ask_slowly()
  require('copyspan.client').find():stop(true)
  H.await_said('The server has stopped')
  vim.cmd('1,2Copyspan replace total with amount')
  H.await_preview()
  H.type('gA')
  H.equal(H.lines()[2], 'amount1 = 1')
end)

H.case('a buffer that cannot be changed', LINES, function()
  vim.bo.modifiable = false
  vim.cmd('Copyspan do it')
  H.await_said('This buffer cannot be changed')
  vim.bo.modifiable = true
end)

H.case('a carriage return inside a line', { 'a', 'b\rc' }, function()
  vim.cmd('Copyspan do it')
  H.await_said('carriage return inside line 2')
end)

H.case('nothing to decide, cancel, show or go on with', LINES, function()
  for command, words in pairs({
    CopyspanAccept = 'no preview',
    CopyspanReject = 'no preview',
    CopyspanCancel = 'nothing to cancel',
    CopyspanNext = 'no edit in this buffer yet',
    CopyspanProgram = 'no edit in this buffer yet',
  }) do
    vim.cmd(command)
    H.await_said(words)
  end
end)

H.case('the status is said', LINES, function()
  vim.cmd('CopyspanStatus')
  H.await_said('is ready on cpu')
  H.equal(require('copyspan').status(), '')
end)

H.case('the health check runs', LINES, function()
  vim.cmd('checkhealth copyspan')
  local report = table.concat(H.lines(), '\n')
  assert(report:find('The server is running') and not report:find('ERROR'), report)
  vim.cmd('bwipeout!')
end)

H.case('a model that is missing is the server\'s to say', LINES, function()
  local asked
  vim.lsp.handlers['window/showMessageRequest'] = function(_, params)
    asked = params
    return vim.NIL
  end
  vim.lsp.config('copyspan', { settings = { copyspan = { model = 'missing' } } })
  require('copyspan.client').find():stop()
  H.await('the end of the server', function() return require('copyspan.client').find() == nil end)
  H.said = {}
  vim.cmd('Copyspan do it')
  H.await('the question', function() return asked ~= nil end)
  assert(asked.message:find('is not on this machine') and asked.actions[1].title == 'Download', vim.inspect(asked))
  H.await_end()
  H.equal(H.said, {})
end)

H.case('a server that is not there, or does not start', LINES, function()
  require('copyspan.client').find():stop()
  H.await('the end of the server', function() return require('copyspan.client').find() == nil end)
  vim.lsp.config('copyspan', { cmd = { '/nowhere/copyspan', 'serve' } })
  vim.cmd('Copyspan do it')
  H.await_said('/nowhere/copyspan is not there')
  vim.cmd('checkhealth copyspan')
  assert(table.concat(H.lines(), '\n'):find('/nowhere/copyspan is not there'))
  vim.cmd('bwipeout!')
  vim.lsp.config('copyspan', { cmd = { 'false' } })
  vim.cmd('Copyspan do it')
  H.await_said('ended before it was ready')
end)

H.finish()
