-- The parts of the plugin that know no buffer and no server, run by `nvim -l`.
local failures, num_cases = {}, 0

local function case(name, actual, expected)
  num_cases = num_cases + 1
  if vim.deep_equal(actual, expected) then return end
  table.insert(failures, ('%s: expected %s, got %s'):format(name, vim.inspect(expected), vim.inspect(actual)))
end

local lines = require('copyspan.lines')
local render = require('copyspan.render')

-- Lines of texts.
case('LF', lines.split('a\n\nb', 'unix'), { 'a', '', 'b' })
case('LF keeps CR', lines.split('a\r\nb\n', 'unix'), { 'a\r', 'b' })
case('CRLF', lines.split('a\r\nb\r\n', 'dos'), { 'a', 'b' })
case('CR', lines.split('a\r\rb\r', 'mac'), { 'a', '', 'b' })
case('no text', lines.split('', 'unix'), {})
case('an empty line', lines.split('\n', 'unix'), { '' })

-- What old and new lines share.
case('trim', lines.trim(4, { 'a', 'b', 'c' }, { 'a', 'x', 'c' }), { row = 5, old = { 'b' }, new = { 'x' } })
case('trim repeated', lines.trim(0, { 'a', 'a' }, { 'a', 'a', 'a' }), { row = 2, old = {}, new = { 'a' } })
case('trim equal', lines.trim(0, { 'a' }, { 'a' }), { row = 1, old = {}, new = {} })

local function common(old, new) return { lines.common(old, new) } end
case('common', common('return total', 'return amount'), { 7, 0 })
case('common ends', common('(total)', '(amount)'), { 1, 1 })
case('common equal', common('aa', 'aa'), { 2, 0 })
case('common repeated', common('aa', 'aaa'), { 2, 0 })
case('common cuts no character at the start', common('é', 'è'), { 0, 0 }) -- C3 A9, C3 A8
case('common cuts no character at the end', common('é', 'ĩ'), { 0, 0 }) -- C3 A9, C4 A9
case('common beside one', common('xéy', 'xèy'), { 1, 1 })

local function words(old, new) return { lines.common_words(old, new) } end
case('words cut at the start', words('a(total)', 'a(tax)'), { 2, 1 })
case('words cut at the end', words('= amount + 1', '= count + 1'), { 2, 4 })
case('whole words', words('a b c', 'a c'), { 2, 1 })
case('an inserted word', words('f(a)', 'f(a, b)'), { 3, 1 })
case('a word that grows', words('total', 'totals'), { 0, 0 })

-- Rows after changes: against a buffer of which every line has a name.
local function followed(start, stop, first, last, new_last)
  return { lines.follow({ { tick = 2, first = first, last = last, new_last = new_last } }, 1, start, stop) }
end
case('an older change', { lines.follow({ { tick = 1, first = 0, last = 9, new_last = 0 } }, 1, 3, 5) }, { 3, 5 })

---@return integer[]? rows Where the lines start..stop-1 are after the change; nil where they are not all there.
local function by_names(start, stop, first, last, new_last)
  local after = {}
  for row = 0, 7 do
    if row == first then
      for _ = first, new_last - 1 do
        table.insert(after, 'new')
      end
    end
    if row < first or row >= last then table.insert(after, row) end
  end
  local rows = {}
  for row, name in ipairs(after) do
    if type(name) == 'number' and start <= name and name < stop then table.insert(rows, row - 1) end
  end
  local is_whole = #rows == stop - start and rows[#rows] - rows[1] == #rows - 1
  return is_whole and { rows[1], rows[#rows] + 1 } or nil
end

for first = 0, 6 do
  for last = first, 6 do
    for new_last = first == last and first + 1 or first, first + 3 do
      for start = 0, 5 do
        for stop = start + 1, 6 do
          local name = ('follow %d-%d, change %d-%d to %d'):format(start, stop, first, last, new_last)
          local expected = by_names(start, stop, first, last, new_last) or {}
          case(name, followed(start, stop, first, last, new_last), expected)
        end
        local place = followed(start, start, first, last, new_last)
        local is_beside = last < start or first > start
        local shift = last < start and new_last - last or 0
        if is_beside then case('place', place, { start + shift, start + shift }) end
        if first < start and start < last then case('place inside a change', place, {}) end
        if first == start and last == start and new_last > last then case('place filled', place, {}) end
      end
    end
  end
end

-- Virtual lines.
local function texts(virtual)
  return vim.tbl_map(function(chunks)
    return vim.iter(chunks):map(function(chunk) return chunk[1] end):join('')
  end, virtual)
end
local function virtual(line, width, look)
  return render.virtual({ line }, vim.tbl_extend('force', { width = width, tabstop = 4 }, look or {}))
end
case('filled', texts(virtual('ab', 4)), { 'ab  ' })
case('broken', texts(virtual('abcdef', 4)), { 'abcd', 'ef  ' })
case('full', texts(virtual('abcd', 4)), { 'abcd' })
case('wide characters', texts(virtual('漢字漢', 5)), { '漢字', '漢   ' })
case('tabs', texts(virtual('a\tb', 8)), { 'a   b   ' })
case('an empty line', texts(virtual('', 3)), { '   ' })
case('no window', texts(render.virtual({ 'ab' }, { tabstop = 8 })), { 'ab' })
local look = { spans = { { { start = 0, stop = 3, group = '@keyword' } } }, changed = { { 2, 4 } } }
case('highlights', virtual('defg', 4, look)[1], {
  { 'de', { 'CopyspanAdd', '@keyword' } },
  { 'f', { 'CopyspanAdd', '@keyword', 'CopyspanAddText' } },
  { 'g', { 'CopyspanAdd', 'CopyspanAddText' } },
})

-- Configuration.
local config = require('copyspan.config')
vim.g.copyspan = { cmd = { 'mine', 'serve' }, keys = { accept = 'x', reject = false } }
case('command', config.command(), { 'mine', 'serve' })
case('own key', { config.keys().accept, config.keys().reject, config.keys().cancel }, { 'x', nil, '<C-c>' })
case('no problem', config.problems(), {})
vim.g.copyspan = { keys = false }
case('no keys', config.keys(), {})
vim.g.copyspan = { cmd = 'copyspan serve', keys = { acept = 'x' }, model = 'm' }
case('problems', #config.problems(), 3)
vim.env.PATH = '/nowhere'
case('a command that is not there', vim.list_slice(config.command(), 2), { 'serve' })

-- Instructions.
local history = require('copyspan.history')
history.add('rename n to count')
history.add('add a test')
history.add('rename n to count')
case('the newest first', history.complete(''), { 'rename n to count', 'add a test' })
case('completion of a word', history.complete_command('t', '2,3Copyspan rename n t'), { 'to count' })

-- Words.
local status = require('copyspan.status')
case(
  'ready',
  status.sentence({ state = 'ready', model = 'Q', device = 'cpu', dtype = 'float32', queue = 2 }),
  'Q is ready on cpu (float32); 2 edits wait.'
)
case(
  'missing',
  status.sentence({ state = 'missing', model = 'Q', message = 'Get it.' }),
  'Q is not on this machine. Get it.'
)

-- The help file tells the keys as they are.
local help = table.concat(vim.fn.readfile(vim.env.COPYSPAN_SPECS .. '/../../../nvim/doc/copyspan.txt'), '\n')
for action, key in pairs(config.KEYS) do
  local words = '`' .. vim.pesc(key) .. '`%s+' .. vim.pesc(action) .. '%s'
  case('the key of ' .. action .. ' in the help file', help:find(words) ~= nil, true)
end

io.stderr:write(table.concat(failures, '\n') .. '\n')
assert(num_cases > 1000)
os.exit(#failures == 0 and 0 or 1)
