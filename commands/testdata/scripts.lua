--- 
return 1
--- 
return 'hello'
--- 
return 3.99
--- 
return -3.99
--- 
return 0/0
--- 
return 1/0
--- 
return 1e300
--- 
return true
--- 
return false
--- 
return nil
--- 
return
--- 
return {1,2,3,'ciao',{1,2}}
--- 
return {1,2,nil,4}
--- 
return {ok='fine'}
--- 
return {ok='fi\r\nne'}
--- 
return {err='ERR this is an error'}
--- 
return {err='oops'}
--- 
return {err='a\r\nb\r\n'}
--- 
return {err=''}
--- 
return {1, {err='inner x'}, {ok='x'}}
--- 
return {double=3.5}
--- 
return {double=1e100}
--- 
return {big_number='123'}
--- 
return {big_number='123\r\n123'}
--- 
return {verbatim_string={format='txt', string='hi'}}
--- 
return {verbatim_string={format='txt'}}
--- 
return {map={a=1}}
--- 
return {map={[1]={2}}}
--- 
return {set={x=true}}
--- 
return _G
--- 
return redis
--- 
return print
--- 
return function() end
--- 
return cjson.null
--- keys=1 k a b
return {KEYS[1], ARGV[1], ARGV[2], #KEYS, #ARGV, KEYS[2]}
--- keys=0 10
return {type(ARGV[1]), ARGV[1] + 1, ARGV[1] * '2', '0x10' + 0, -ARGV[1], '010' + 0, ' 7 ' + 0}
--- 
local a = {}; setmetatable(a,{__index=function() foo() end}) return a
--- 
redis.setresp(3) return {true, false, {double=1.5}, {map={x='y'}}}
--- 
redis.setresp(3) return true
--- 
redis.setresp(3) return false
--- 
redis.setresp(3) return nil
--- 
return redis.setresp(4)
--- 
return redis.setresp()
--- 
return redis.setresp('3')
--- 
return redis.error_reply('My Err')
--- 
return redis.error_reply('NOSPACE')
--- 
return redis.error_reply('-CODE said')
--- 
return redis.error_reply('')
--- 
return redis.error_reply({})
--- 
return redis.error_reply()
--- 
return redis.error_reply('a','b')
--- 
return redis.status_reply('fine')
--- 
return redis.status_reply(1)
--- 
return redis.sha1hex('abc')
--- 
return redis.sha1hex()
--- 
return redis.sha1hex(1)
--- 
return {redis.REDIS_VERSION_NUM, redis.REDIS_VERSION}
--- 
return {redis.LOG_DEBUG, redis.LOG_VERBOSE, redis.LOG_NOTICE, redis.LOG_WARNING, redis.REPL_ALL, redis.REPL_AOF, redis.REPL_NONE, redis.REPL_REPLICA, redis.REPL_SLAVE}
--- 
return redis.log()
--- 
return redis.log(1)
--- 
return redis.log('x', 'y')
--- 
return redis.log(9, 'y')
--- 
return redis.log(redis.LOG_DEBUG, 'y', 'z')
--- 
return redis.set_repl(redis.REPL_ALL)
--- 
return redis.set_repl(12345)
--- 
return redis.set_repl()
--- 
return redis.replicate_commands()
--- 
return redis.breakpoint()
--- 
return redis.debug('x')
--- 
return redis.acl_check_cmd('get', 'x')
--- 
return redis.acl_check_cmd('nosuch', 'x')
--- 
return redis.acl_check_cmd()
--- 
return redis.call()
--- 
return redis.pcall()
--- 
return redis.call({})
--- 
return redis.pcall({})
--- 
return redis.call('nosuch')
--- 
return redis.pcall('nosuch')
--- 
return redis.pcall('nosuch').err
--- 
return redis.call('get')
--- 
return redis.call('config')
--- 
return redis.call('config', 'nosuch')
--- 
return redis.call('subscribe', 'x')
--- 
return redis.call('ping')
--- 
return redis.call('PING', 'x')
--- 
return redis.call('echo', 12)
--- 
return redis.call('echo', 0.1)
--- 
return redis.call('echo', 1e100)
--- 
return redis.call('echo', 9007199254740993)
--- 
return redis.call('echo', -0)
--- 
return redis.call('echo', 1/0)
--- 
return redis.call('echo', true)
--- 
return redis.call('echo', nil)
--- 
return redis.call('select', 99)
--- 
return redis.pcall('select', 99)
--- 
return redis.call('select', 3)
--- 
redis.call('zadd', 'z', 1, 'a', 2.5, 'b') return redis.call('zrange', 'z', 0, -1, 'withscores')
--- 
redis.call('zadd', 'z', 1, 'a', 2.5, 'b') redis.setresp(3) return redis.call('zrange', 'z', 0, -1, 'withscores')
--- 
redis.call('zadd', 'z', 1, 'a', 2.5, 'b') redis.setresp(3) return redis.call('zscore', 'z', 'b')
--- 
redis.call('zadd', 'z', 1, 'a', 2.5, 'b') redis.setresp(3) return redis.call('zscore', 'z', 'b').double * 2
--- 
return redis.call('zscore', 'z', 'nosuch')
--- 
redis.setresp(3) return redis.call('zscore', 'z', 'nosuch')
--- 
redis.setresp(3) return type(redis.call('zscore', 'z', 'nosuch'))
--- 
return type(redis.call('zscore', 'z', 'nosuch'))
--- 
return redis.call('zadd', 'z', 'x', 'y')
--- 
local ok, e = pcall(redis.call, 'zadd', 'z', 'x', 'y') return {tostring(ok), e}
--- 
local ok, e = pcall(redis.call, 'nosuch') return {tostring(ok), type(e), e}
--- 
local ok, e = pcall(function() error({err='E x', a=1}) end) return {tostring(ok), type(e), tostring(e)}
--- 
local ok, e = pcall(function() error({a=1}) end) return {tostring(ok), type(e)}
--- 
local ok, e = xpcall(function() redis.call('nosuch') end, function(e) return e end) return {tostring(ok), type(e), e.err}
--- 
local ok, e = xpcall(function() error('x') end, function(e) return 'handled ' .. e end) return {tostring(ok), e}
--- 
local ok, e = xpcall(function() return 1, 2 end, function(e) return e end) return {tostring(ok), e}
--- 
error('my error')
--- 
error('my error', 0)
--- 
error('my error', 2)
--- 
error({err='MY custom'})
--- 
error({err='plain'})
--- 
error()
--- 
error(nil)
--- 
error(12)
--- 
error(true)
--- 

error('line 2')
--- 
local function f()
  error('in f')
end
f()
--- 
local function f()
  error('in f', 2)
end

f()
--- 
return a
--- 
a = 10
--- 
_G.a = 10
--- 
_G = {}
--- 
redis = 1
--- 
redis.call = 1
--- 
redis.x = 1
--- 
cjson.encode = 1
--- 
string.x = 1
--- 
math.pi = 3
--- 
table.insert(redis, 1)
--- 
table.remove(KEYS)
--- 
rawset(_G, 'x', 1)
--- 
rawset(redis, 'x', 1)
--- 
setmetatable(_G, {})
--- 
setmetatable(redis, {})
--- 
local g = getmetatable(_G); g.__index = {}
--- 
return type(getmetatable(_G).__index)
--- 
return tostring(getmetatable(redis))
--- 
return rawget(_G, 'nosuch')
--- 
return type(rawget(_G, 'redis'))
--- 
return type(rawget(redis, 'call'))
--- 
return _G[{}]
--- 
return _G[1]
--- 
return redis.nosuch
--- 
return redis.nosuch()
--- 
loadfile('x')
--- 
dofile('x')
--- 
print('x')
--- 
require('x')
--- 
os.time()
--- 
io.open('x')
--- 
debug.getinfo(1)
--- 
local t = {} for k in pairs(_G) do if k ~= '__redis__err__handler' then t[#t+1] = k end end table.sort(t) return t
--- 
local t = {} for k in pairs(redis) do t[#t+1] = k end table.sort(t) return t
--- 
local t = {} for k in pairs(string) do t[#t+1] = k end table.sort(t) return t
--- 
local t = {} for k in pairs(table) do t[#t+1] = k end table.sort(t) return t
--- 
local t = {} for k in pairs(math) do t[#t+1] = k end table.sort(t) return t
--- 
local t = {} for k in pairs(coroutine) do t[#t+1] = k end table.sort(t) return t
--- 
local t = {} for k in pairs(cjson) do t[#t+1] = k end table.sort(t) return t
--- 
local t = {} for k in pairs(cmsgpack) do t[#t+1] = k end table.sort(t) return t
--- 
local t = {} for k in pairs(bit) do t[#t+1] = k end table.sort(t) return t
--- 
local t = {} for k in pairs(struct) do t[#t+1] = k end table.sort(t) return t
--- 
return {type(next(redis)), type(next({}))}
--- 
nosuch()
--- 
local x; x()
--- 
local t = {} t.x()
--- 
local t = {} t:x()
--- 
local t = {} t.x.y = 1
--- 
local t = {} return t.x.y
--- 
local x return x.y
--- 
local x x.y = 1
--- 
local x = 5 return x.y
--- 
return KEYS.a.b
--- 
return (1).x
--- 
local s = 'x' s.y = 1
--- 
local x = 1 return function() return x.y.z end, x.y
--- 
local x return (function() return x.y end)()
--- 
return nil + 1
--- 
local t = {} return t.a + 1
--- 
local t = {} return 1 + t.a
--- 
local x return x * 2
--- 
return 'abc' + 1
--- 
return {} + 1
--- 
return -{}
--- 
return -'abc'
--- 
return 'a' .. nil
--- 
local t = {} return 'a' .. t.x .. 'b'
--- 
local x return x .. 'b'
--- 
return 'a' .. {}
--- 
return #nil
--- 
local x return #x
--- 
return #5
--- 
return 1 < 'x'
--- 
return {} < {}
--- 
return nil < 1
--- 
return 'a' < 'b'
--- 
local t = {} t[nil] = 1
--- 
local t = {} t[0/0] = 1
--- 
local t = {} return t[nil]
--- 
for i = 'a', 2 do end
--- 
for i = 1, 'x' do end
--- 
for i = 1, 2, {} do end
--- keys=0 3
local s = 0 for i = 1, ARGV[1] do s = s + i end return s
--- 
local s = 0 for i = 10, 1, -3 do s = s + i end return s
--- 
for i = 1, 3 do if i == 2 then return i end end
--- 
local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end return f(10000)
--- 
local function f() return 1 + f() end return f()
--- 
local function f() return f() end local n = 0 return 'no tail loop'
--- 
return loadstring(string.dump(function() return 1 end))()
--- 
return {loadstring('return 1 +')}
--- 
return {tostring(loadstring('return 1 +'))}
--- 
local f, e = loadstring('return 1 +') return e
--- 
local f, e = loadstring('x =', '=name') return e
--- 
local f, e = loadstring('x =', '@name') return e
--- 
local f, e = loadstring('\n\nx = = 2') return e
--- 
return loadstring('return ...')(5)
--- 
return loadstring('return KEYS[1]')()
--- 
local n = 0 local f = load(function() n = n + 1 if n == 1 then return 'return ' elseif n == 2 then return '7' end end) return f()
--- 
return select('#', 1, nil, 3)
--- 
return {select(2, 'a', 'b', 'c')}
--- 
return {select(-1, 'a', 'b', 'c')}
--- 
return select(0)
--- 
return {unpack({1,2,3}, 2)}
--- 
return {unpack({1,2,3}, 2, 5)}
--- 
local a = {} for i=1,7999 do a[i] = 1 end return select('#', unpack(a))
--- 
local a = {} for i=1,8000 do a[i] = 1 end return select('#', unpack(a))
--- 
return unpack()
--- 
return {tostring(1), tostring(1.5), tostring(0.1), tostring(1e15), tostring(1e14), tostring(123456789012345), tostring(2^53), tostring(-0), tostring(1/3), tostring(1e-5), tostring(100), tostring(1e100)}
--- 
return {tostring(nil), tostring(true), tostring('x'), tostring(0/0), tostring(-(0/0)), tostring(1/0), tostring(-1/0)}
--- 
return 1 .. ''
--- 
return 0.1 + 0.2 .. ''
--- 
return 1e15 .. 'x' .. 2^53
--- 
return {tonumber('10'), tonumber('0x1f'), tonumber('1e3'), tonumber(' 5 '), tonumber('5x') == nil, tonumber('') == nil, tonumber('010'), tonumber(nil) == nil}
--- 
return {tonumber('ff', 16), tonumber('zz', 36), tonumber('777', 8), tonumber('8', 8) == nil, tonumber('0x1F', 16), tonumber('1e1', 10), tonumber('-ff', 16)}
--- 
return tonumber('1', 99)
--- 
return tonumber()
--- 
return {tostring(tonumber('inf')), tostring(tonumber('nan')), tostring(tonumber('0x')), tostring(tonumber('1_000')), tostring(tonumber('0b1')), tostring(tonumber('1e')), tostring(tonumber('.5')), tostring(tonumber('5.')), tostring(tonumber('0x.8')), tostring(tonumber('0x1p4'))}
--- 
return {type(1), type('x'), type({}), type(nil), type(print), type(redis.call), type(cjson.null), type(coroutine.create(function() end))}
--- 
return type()
--- 
return {string.byte('abc', 1, -1)}
--- 
return {string.byte('abc', 10), string.byte(''), string.byte('a', 0)}
--- 
return string.char(72, 105)
--- 
return string.char(256)
--- 
return string.char()
--- 
return {string.sub('hello', 2, 3), string.sub('hello', -3), string.sub('hello', 2, -2), string.sub('hello', 0), string.sub('hello', 10), string.sub('hello', -100, 2)}
--- 
return {string.rep('ab', 3), string.rep('x', 0), string.rep('x', -1), ('x'):rep(3)}
--- 
return string.rep()
--- 
return ('x'):rep()
--- 
return ('x'):rep('y')
--- 
return {string.reverse('abc'), string.upper('aBc1'), string.lower('AbC1'), string.len('a\0b'), #'a\0b'}
--- 
return {string.find('hello world', 'o w'), string.find('hello', 'l+'), string.find('hello', 'xyz') == nil, string.find('a.b', '.', 1, true), string.find('hello', '')}
--- 
return {string.find('hello', 'l', -1) == nil, string.find('hello', '', 10), string.find('hello', '(l)(l)')}
--- 
return {string.match('key=value', '(%w+)=(%w+)'), string.match('2024-01-02', '%d+'), string.match('  x ', '^%s*(.-)%s*$'), string.match('abc', '()b()')}
--- 
return {string.match('[[x]]', '%[%[(.-)%]%]'), string.match('f(a(b)c)d', '%b()'), string.match('THE (quick) fox', '%f[%a]%a+%f[%A]'), string.match('abab', '(ab)%1')}
--- 
return {string.gsub('hello', 'l', 'L'), string.gsub('hello', 'l', 'L', 1), string.gsub('abc', '%w', '%0%0'), string.gsub('abc', '', '-'), string.gsub('hello world', '(%w+)', '<%1>')}
--- 
return {string.gsub('$name is $age', '%$(%w+)', {name='bob', age=5}), string.gsub('abc', '.', function(c) if c == 'b' then return false end return c:upper() end)}
--- 
return {string.gsub('abc', '^a', 'x'), string.gsub('aaa', '^a', 'x')}
--- 
return string.gsub('abc', 'b', '%2')
--- 
return string.gsub('abc', '(b', 'x')
--- 
return string.gsub('abc', '%', 'x')
--- 
return string.gsub('abc', '[b', 'x')
--- 
return string.gsub('abc', 'b', true)
--- 
return string.gsub('abc', 'b', function() return {} end)
--- 
return string.find('a', '%f')
--- 
return string.find('abc', '%1')
--- 
return string.find('abc', ')')
--- 
local t = {} for k, v in string.gmatch('a=1, b=2', '(%w+)=(%w+)') do t[#t+1] = k .. v end return t
--- 
local t = {} for w in string.gmatch('one two', '%a+') do t[#t+1] = w end return t
--- 
local t = {} for w in string.gmatch('abc', '') do t[#t+1] = #t end return t
--- 
return string.gfind('a', 'b')
--- 
return {string.format('%d %i %5d|%-5d|%05d|%+d|% d', 42, 42, 42, 42, 42, 42, 42)}
--- 
return {string.format('%d', 3.7), string.format('%d', -3.7), string.format('%d', '10'), string.format('%u', 42), string.format('%x %X %#x %o', 255, 255, 255, 8), string.format('%x', -1)}
--- 
return {string.format('%f %.2f %10.3f|%-10.1f|', 1.5, 2.345, 3.14159, 2.55), string.format('%e %.3E', 12345.678, 0.00012), string.format('%g %g %g %g', 1e20, 0.1, 100000, 1e-5), string.format('%.14g', 0.1), string.format('%.17g', 0.1)}
--- 
return {string.format('%s %s %s', 'a', 1, 1.5), string.format('%10s|%-10s|%.2s', 'abc', 'abc', 'abc'), string.format('%%'), string.format('%c%c', 72, 105), string.format('%q', 'a"b\nc\\d\0e\r')}
--- 
return {string.format('%5.1f|%+.2e|%G', 3.14159, 12345.678, 1e-10), string.format('%g', 0/0), string.format('%f', 1/0), string.format('%5d', 1e10), string.format('%.3d', 5)}
--- 
return string.format('%d', 'x')
--- 
return string.format('%d')
--- 
return string.format('%y', 1)
--- 
return string.format('%', 1)
--- 
return string.format('%s', {}) 
--- 
return string.format('%123d', 1)
--- 
return {string.format('%s', string.rep('x', 200)), string.format('%.3s', 'abcdef'), string.format('%5s', 'ab\0cd')}
--- 
return {table.concat({1,2,3}, ','), table.concat({'a','b'}), table.concat({}, 'x'), table.concat({1,2,3}, ',', 2), table.concat({1,2,3}, ',', 2, 3), table.concat({1.5,2})}
--- 
return table.concat({1,{},3})
--- 
return table.concat({1,nil,3})
--- 
return table.concat({1,2}, ',', 1, 3)
--- 
local t = {1,2,3} table.insert(t, 4) table.insert(t, 1, 0) return t
--- 
table.insert({}) 
--- 
table.insert({}, 1, 2, 3) 
--- 
table.insert(1, 2) 
--- 
local t = {1,2,3} return {table.remove(t), table.remove(t, 1), #t, table.remove(t, 5) == nil, table.remove({}) == nil}
--- 
local t = {3,1,2} table.sort(t) return t
--- 
local t = {3,1,2} table.sort(t, function(a,b) return a > b end) return t
--- 
local t = {'b','a','C'} table.sort(t) return t
--- 
local t = {1,'x'} table.sort(t) return t
--- 
local t = {1,nil,3} return table.getn(t)
--- 
return {table.maxn({1,2,[10]=1}), table.maxn({}), #({1,2,3,nil}), #({nil,nil,3})}
--- 
table.setn({}, 1)
--- 
local n = 0 table.foreach({a=1}, function(k, v) n = n + v end) table.foreachi({5,6}, function(i, v) n = n + v end) return n
--- 
return {math.floor(3.7), math.floor(-3.7), math.ceil(3.2), math.abs(-5), math.max(1,5,3), math.min(4,2,8), math.sqrt(16), math.pow(2,10), math.fmod(7,3), math.mod(7,3)}
--- 
return {tostring(math.huge), tostring(-math.huge), tostring(math.pi), tostring(math.modf(3.7)), tostring(math.log(10)), tostring(math.exp(1)), tostring(math.sin(1)), math.frexp(8), math.ldexp(1, 4), tostring(math.deg(1)), tostring(math.rad(180)), tostring(math.atan2(1,2))}
--- 
return math.floor('x')
--- 
return math.floor()
--- 
return math.max()
--- 
return math.floor('3.7')
--- 
return math.random(0)
--- 
return math.random(5, 1)
--- 
return math.random(1, 2, 3)
--- 
math.randomseed(42) return {tostring(math.random()), math.random(100), math.random(5, 10), math.random(1, 1000000), tostring(math.random())}
--- 
math.randomseed(-1) return {tostring(math.random()), math.random(100)}
--- keys=0 10
math.randomseed(ARGV[1]) return tostring(math.random())
--- 
return {5 % 3, -5 % 3, 5 % -3, tostring(5.5 % 2), 2 ^ 10, 7 / 2 * 2, 1e308 * 10 == math.huge}
--- 
return {1 == 1.0, '1' == 1, 'a' == 'a', nil == false, not nil, 1 and 2, nil or 'd', false and 1}
--- 
local t = setmetatable({}, {__index = function(t, k) return k .. '!' end}) return {t.x, t[1]}
--- 
local t = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v * 2) end}) t.x = 5 return t.x
--- 
local t = setmetatable({}, {__call = function(self, a) return a + 1 end}) return t(4)
--- 
local t = setmetatable({}, {__add = function(a, b) return 'added' end, __concat = function(a, b) return 'joined' end}) return {t + 1, 1 + t, t .. 'x', 'x' .. t, '1' + t, t + 'x'}
--- 
local mt = {__eq = function() return true end, __lt = function() return true end, __le = function() return false end} local a, b = setmetatable({}, mt), setmetatable({}, mt) return {a == b, a < b, a <= b}
--- 
return tostring(setmetatable({}, {__tostring = function() return 'custom' end}))
--- 
return getmetatable(setmetatable({}, {__metatable = 'locked'}))
--- 
setmetatable(setmetatable({}, {__metatable = 'locked'}), {})
--- 
setmetatable(1, {})
--- 
setmetatable({})
--- 
setmetatable({}, 1)
--- 
local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) return b * 2 end) local _, x = coroutine.resume(co, 1) local _, y = coroutine.resume(co, 10) return {x, y, coroutine.status(co), tostring(coroutine.resume(co))}
--- 
local f = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return {f(), f(), f()}
--- 
local co = coroutine.create(function() error('x') end) local ok, e = coroutine.resume(co) return {tostring(ok), e}
--- 
local co = coroutine.create(function() return redis.call('ping') end) local ok, v = coroutine.resume(co) return v
--- 
local t = {} for i, v in ipairs({10, 20, nil, 40}) do t[#t+1] = i * v end return t
--- 
local n = 0 for k, v in pairs({a=1, b=2, 3}) do n = n + v end return n
--- 
for k in 5 do end
--- 
for k in pairs() do end
--- 
for k in pairs(nil) do end
--- 
ipairs()
--- 
local function f(...) return select('#', ...), arg and arg.n end return {f(1, nil, 3)}
--- 
local function f(...) local a, b = ... return b end return f(1, 2)
--- 
return assert(false)
--- 
return assert(nil, 'msg')
--- 
return assert(false, {err='X y'})
--- 
return {assert(1, 2, 3)}
--- 
return assert()
--- 
return {rawequal({}, {}), rawequal(1, 1)}
--- 
local t = {} local f = function() x = 5 return x end setfenv(f, t) return {f(), t.x}
--- 
setfenv(1, {redis = redis}) y = 6 return y
--- 
return getfenv().redis == redis
--- 
return type(newproxy())
--- 
return collectgarbage('count') > 0
--- 
return collectgarbage('x')
--- 
return collectgarbage()
--- 
return gcinfo() > 0
--- 
return _VERSION
--- 
return string.format('%s', tostring(nil)) .. [[
long
string]] .. [==[with ]] inside]==]
--- 
return "esc \65\066\t\"\'\\ \
newline"
--- 
return {0x10, 1e2, .5 * 2, 3., 0xA}
--- 
-- comment
--[[ long
comment ]]
--[==[ another
]==]
return 1 -- trailing
--- 
return 'hello' --trailing comment
--- 
goto x
--- 
::x::
--- 
local goto_ = 1 return goto_
--- 
local goto = 5 return goto
--- 
return 1 +
--- 
x =
--- 
x = = 1
--- 
if true then
--- 
if true then return 1
--- 
for i = 1 do end
--- 
local 5 = 1
--- 
return 'abc
--- 
return [[abc
--- 
return "abc\300"
--- 
return 1x
--- 
return 3..2
--- 
foo bar
--- 
(1)
--- 
f(
--- 
x = }
--- 
return @
--- 
break
--- 
return 1 return 2
--- 
function f( return 1 end
--- 
function f(a,) end
--- 
local function f(...) return function() return ... end end
--- 
--[[ unfinished
--- 
a.b:c = 1
--- 
local t = {1, 2; 3, x = 1, ['y'] = 2, [3+1] = 4} return {#t, t.x, t.y, t[4]}
--- 
do local x = 1 end return x
--- 
repeat local x = true until x return 1
--- 
while true do break end return 1
--- 
local i = 0 repeat i = i + 1 if i == 3 then break end until false return i
--- 
local a, b, c = (function() return 1, 2, 3 end)() return {a, b, c}
--- 
local a, b = ((function() return 1, 2 end)()) return {a, tostring(b)}
--- 
local t = {(function() return 1, 2 end)(), (function() return 1, 2 end)()} return #t
--- 
local t = {1, 2, x = (function() return 9, 8, 7 end)()} return {#t, t.x}
--- 
local function f(a) a = (function(x) return x + 1 end)(a) return a end return f(1)
--- 
local f = function() return f end return f()
--- 
local t = {} function t.a.b() end
--- 
local t = {a={}} function t.a.b(x) return x end function t.a:c(x) return self == t.a and x end return {t.a.b(1), t.a:c(2)}
--- 
local x = 1 local x = x + 1 return x
--- 
local fns = {} for i = 1, 3 do fns[i] = function() return i end end return {fns[1](), fns[2](), fns[3]()}
--- 
local s = 0 for i = 1, 3 do for j = 1, 3 do if j == 2 then break end s = s + 1 end end return s
--- 
return 2^-3 * 8, 5
--- 
return -2^2
--- 
return not 1 == 2
--- 
return 'a'..'b'..1 ..2
--- 
return 1 .. 2 == '12'
--- 
return #'abc' + 1
--- 
return 2^3^2
--- 
return (('x'))
--- 
return ({1,2,3})[2]
--- 
return ('%d'):format(5)
--- 
local s = 'x' return s:upper()
--- 
return type(string.gmatch)
--- 
return cjson.encode({1,2,3})
--- 
return cjson.encode({})
--- 
return cjson.encode({a=1})
--- 
return cjson.encode({a={b={1,2,{c='d'}}}})
--- 
return cjson.encode('a"b\\c/d\n\t\r\b\f\1\127é')
--- 
return {cjson.encode(1), cjson.encode(1.5), cjson.encode(0.1), cjson.encode(1e20), cjson.encode(123456789012345), cjson.encode(1234567890123456), cjson.encode(-0.5), cjson.encode(1e-7)}
--- 
return {cjson.encode(true), cjson.encode(nil), cjson.encode(cjson.null), cjson.encode({cjson.null, 1})}
--- 
return cjson.encode({1, 2, nil, 4})
--- 
return cjson.encode({[1]=1, [5]=5})
--- 
return cjson.encode({[1]=1, [100]=5})
--- 
return cjson.encode({[1.5]=1})
--- 
return cjson.encode({[-1]=1})
--- 
return cjson.encode({[true]=1})
--- 
return cjson.encode(print)
--- 
return cjson.encode(redis.call)
--- 
return cjson.encode(1/0)
--- 
return cjson.encode()
--- 
return cjson.encode(1, 2)
--- 
local t = {} t.t = t return cjson.encode(t)
--- 
local t = cjson.decode('{"a":1,"b":[1,2,{"c":null}],"d":"x\\u00e9\\n","e":true,"f":1.5e3}') return {t.a, t.b[1], t.b[3].c == cjson.null, t.d, t.e, t.f}
--- 
return cjson.decode('[0.0, -5e3, -1, 0.3e-3, 1023.2, 0e10]')
--- 
return table.concat(cjson.decode('[0.0, -5e3, -1, 0.3e-3, 1023.2, 0e10]'), ' ')
--- 
return cjson.decode('"\\ud83d\\ude00"')
--- 
return cjson.decode('"\\ud83d"')
--- 
return cjson.decode('')
--- 
return cjson.decode('{')
--- 
return cjson.decode('{"a"')
--- 
return cjson.decode('{"a":')
--- 
return cjson.decode('{"a":1')
--- 
return cjson.decode('{"a":1,')
--- 
return cjson.decode('{a:1}')
--- 
return cjson.decode('[1,')
--- 
return cjson.decode('[1')
--- 
return cjson.decode('[1 2]')
--- 
return cjson.decode('{"a":1}x')
--- 
return cjson.decode('"abc')
--- 
return cjson.decode('"a\\x"')
--- 
return cjson.decode('tru')
--- 
return cjson.decode('nul')
--- 
return tostring(cjson.decode('nan'))
--- 
return tostring(cjson.decode('Infinity'))
--- 
return tostring(cjson.decode('-inf'))
--- 
return cjson.decode('0x10')
--- 
return cjson.decode('+5')
--- 
return cjson.decode('-')
--- 
return cjson.decode('01')
--- 
return cjson.decode('1.2.3')
--- 
return cjson.decode('}')
--- 
return cjson.decode(' [ ] ')
--- 
return #cjson.decode('[]')
--- 
return cjson.decode('[1]\0junk')
--- 
return cjson.decode()
--- 
return cjson.decode({})
--- 
return cjson.decode(123)
--- 
return cjson.decode(string.rep('[', 1001) .. string.rep(']', 1001))
--- 
return type(cjson.decode(string.rep('[', 1000) .. string.rep(']', 1000)))
--- 
return {cjson.encode_max_depth(), cjson.decode_max_depth(), cjson.encode_number_precision(), tostring(cjson.encode_keep_buffer()), tostring(cjson.encode_invalid_numbers()), tostring(cjson.decode_invalid_numbers()), cjson._NAME, cjson._VERSION}
--- 
local a, b, c = cjson.encode_sparse_array() return {tostring(a), b, c}
--- 
local c = cjson.new() c.encode_number_precision(3) return {c.encode(3.14159), cjson.encode(3.14159)}
--- 
return cjson.encode_number_precision(15)
--- 
return cjson.encode_max_depth(0)
--- 
return cjson.encode_max_depth('x')
--- 
return cjson.encode_invalid_numbers('bogus')
--- 
cjson.encode_invalid_numbers('null') local r = cjson.encode({1/0}) cjson.encode_invalid_numbers(true) local s = cjson.encode({1/0, -1/0, 0/0}) cjson.encode_invalid_numbers(false) return {r, s}
--- 
cjson.encode_sparse_array(true) local r = cjson.encode({[1]=1,[1000]=2}) cjson.encode_sparse_array(false) return #r
--- 
local x = cmsgpack.pack(1, -1, 127, 128, 255, 256, 65535, 65536, 2^32-1, 2^32, -32, -33, -128, -129, -32768, -32769, -2^31, -2^31-1) return x
--- 
return cmsgpack.pack(0.1, 1.5, 1e300, 'abc', true, false, nil, {1,2,3}, {}, {a=1})
--- 
return {cmsgpack.pack(string.rep('x', 31)), cmsgpack.pack(string.rep('x', 32)), cmsgpack.pack(string.rep('x', 256)), #cmsgpack.pack(string.rep('x', 70000))}
--- 
return {cmsgpack.pack({1,2,nil,4}), cmsgpack.pack({[0]=1}), cmsgpack.pack({[1.5]=1}), cmsgpack.pack({[2]=1})}
--- 
return {cmsgpack.unpack(cmsgpack.pack(1, -1, 300, 'abc', {1, {2}}, -40, 70000, -70000, 5e9, -5e9))}
--- 
return tostring(cmsgpack.unpack(cmsgpack.pack(0.1)))
--- 
return tostring(cmsgpack.unpack('\207\255\255\255\255\255\255\255\255'))
--- 
return cmsgpack.unpack(cmsgpack.pack({a={b='c'}})).a.b
--- 
return cmsgpack.pack()
--- 
return cmsgpack.unpack()
--- 
return cmsgpack.unpack('')
--- 
return cmsgpack.unpack('\217')
--- 
return cmsgpack.unpack('\193')
--- 
return cmsgpack.unpack('\147\1')
--- 
return cmsgpack.unpack('\221\255\255\255\255')
--- 
return {cmsgpack.unpack_one(cmsgpack.pack(1, 2, 3))}
--- 
return {cmsgpack.unpack_one(cmsgpack.pack(1, 2, 3), 1)}
--- 
return {cmsgpack.unpack_one(cmsgpack.pack(1, 2, 3), 2)}
--- 
return {cmsgpack.unpack_limit(cmsgpack.pack(1, 2, 3), 2)}
--- 
return {cmsgpack.unpack_limit(cmsgpack.pack(1, 2, 3), 2, 1)}
--- 
return cmsgpack.unpack_limit('\1')
--- 
return cmsgpack.unpack_one('\1', 5)
--- 
return cmsgpack.unpack_one('\1', -1)
--- 
return {cmsgpack._NAME, cmsgpack._VERSION, cmsgpack._COPYRIGHT, cmsgpack._DESCRIPTION}
--- 
local a = {x=nil,y=5} local b = {x=a} a['x'] = b local e = cmsgpack.pack(a) return #e
--- 
return cmsgpack.pack(print)
--- 
return {struct.pack('>I2', 258), struct.pack('<I2', 258), struct.pack('bBhHlLiI', -1, 255, -2, 65535, -3, 4, -5, 6)}
--- 
return {struct.pack('f', 1.5), struct.pack('>d', -1.5), struct.pack('s', 'abc'), struct.pack('c2', 'abc'), struct.pack('c0', 'abc'), struct.pack('x'), struct.pack('!4bi', 1, 2), struct.pack('T', 7), struct.pack('>i3', -2), struct.pack('i16', -2)}
--- 
return {struct.unpack('>I2', '\1\2')}
--- 
return {struct.unpack('bBhH', '\255\255\254\255\254\255')}
--- 
return {struct.unpack('<i3', '\254\255\255')}
--- 
return {struct.unpack('s', 'abc\0def')}
--- 
return {struct.unpack('Bc0', '\3abcdef')}
--- 
return {struct.unpack('c2', 'abc', 2)}
--- 
return {struct.unpack('!4bi', '\1\0\0\0\2\0\0\0')}
--- 
return tostring(struct.unpack('d', struct.pack('d', 0.1)))
--- 
return tostring(struct.unpack('f', struct.pack('f', 0.1)))
--- 
return tostring(struct.unpack('L', '\255\255\255\255\255\255\255\255'))
--- 
return {struct.size('bhil'), struct.size('!8bhil'), struct.size('c10'), struct.size('i16')}
--- 
return struct.size('s')
--- 
return struct.size('c0')
--- 
return struct.pack('y', 1)
--- 
return struct.pack('i33', 1)
--- 
return struct.pack('!3i', 1)
--- 
return struct.pack('i')
--- 
return struct.pack('c5', 'abc')
--- 
return struct.unpack('i', 'abc')
--- 
return struct.unpack('i', 'abcd', 0)
--- 
return struct.unpack('s', 'abc')
--- 
return struct.unpack('c0', 'abc')
--- 
return struct.unpack('i4', 'abcd', 10)
--- 
return struct.pack('i999999999999', 1)
--- 
return struct.size('y')
--- 
return {bit.tobit(0xffffffff), bit.tobit(2^31), bit.tobit(1.5), bit.tobit(-1), bit.tobit('0x10')}
--- 
return {bit.band(0xff, 0x0f), bit.bor(1,2,4,8), bit.bxor(1,3), bit.bnot(0), bit.lshift(1, 31), bit.rshift(-1, 28), bit.arshift(-256, 4), bit.rol(0x12345678, 8), bit.ror(0x12345678, 8), bit.bswap(0x12345678), bit.lshift(1, 33)}
--- 
return {bit.tohex(255), bit.tohex(255, 4), bit.tohex(255, -4), bit.tohex(-1), bit.tohex(1, 20), bit.tohex(1, 0)}
--- 
return bit.band('x')
--- 
return bit.band()
--- 
return bit.band(1, {})
--- 
local s = 'a' for i = 1, 10 do s = s .. i end return s
--- 
#!lua
return 1
--- 
#!lua flags=no-writes
return redis.call('zadd', 'z', 1, 'a')
--- 
#!lua flags=no-writes,allow-oom
return 1
--- 
#!lua flags=
return 1
--- 
#!lua flags=what
return 1
--- 
#!lua x=y
return 1
--- 
#!lisp
return 1
--- 
#!
return 1
--- 
#!lua "unbalanced
return 1
--- 
#!lua

error('line 3')
--- 
return ARGV
--- keys=2 a b c
return {KEYS, ARGV}
--- keys=3 a
return 1
--- keys=-1 a
return 1
--- keys=x a
return 1
--- 
local x = {} x[1] = 1 x[2] = 2 x[4] = 4 return #x == 4 or #x == 2
--- 
return tostring(1e15) .. tostring(12345678901234567890) .. 100000000000000
--- 
return 2147483648 .. '' .. -2147483649
--- 
return tostring(3) == '3' and 3 .. '' == '3' and tostring(3.0) == '3'
--- 
return math.floor(10 / 3) .. ':' .. 10 % 3
--- 
local t = {} t[1.0] = 'a' t['1'] = 'b' return {t[1], t['1']}
--- 
return {pcall(error)}
--- 
return {pcall(error, 'x')}
--- 
return {pcall(error, 'x', 0)}
--- 
return {pcall()}
--- 
return {pcall(nil)}
--- 
return {pcall(5)}
--- 
return {xpcall(nil, function(e) return e end)}
--- 
return {pcall(string.rep)}
--- 
return {pcall(string.rep, 'x', {})}
--- 
return {pcall(function() local x = nil; return x.y end)}
--- 
return {pcall(function() return 1 + {} end)}
--- 
return {pcall(pcall)}
--- 
return {pcall(function(...) return ... end, 1, 2, 3)}
--- 
local ok, e = pcall(function() local t = setmetatable({}, {__index = function(t, k) error('no ' .. k) end}) return t.foo end) return e
--- 
return redis.pcall('zadd', 'z', 'notanumber', 'a')
--- 
return {redis.pcall('nosuch'), redis.pcall('select', 99)}
--- 
redis.call('select', 5) redis.call('zadd', 'five', 1, 'a') redis.call('select', 0) return redis.call('zcard', 'five')
--- 
return redis.call('zcard', 'five')
--- 
local r = {} for i = 1, 50 do r[i] = redis.call('echo', i) end return r
--- 
return redis.call('eval', 'return 1', 0)
--- 
return redis.call('multi')
--- 
return redis.call('script', 'load', 'return 1')
--- 
return redis.call('hello', '3')
--- 
return redis.call('bzpopmin', 'x', 0)
--- 
return redis.call('client', 'id')
--- 
return redis.call('command', 'count') > 0
--- keys=1 counter 5
redis.call('set', KEYS[1], 10) local n = redis.call('incrby', KEYS[1], ARGV[1]) return {n, redis.call('get', KEYS[1]), type(n)}
--- keys=1 gone
redis.call('del', KEYS[1]) return {type(redis.call('get', KEYS[1])), redis.call('get', KEYS[1]) == false, redis.call('exists', KEYS[1])}
--- keys=1 k
redis.call('set', KEYS[1], 'v', 'EX', 100) return {redis.call('ttl', KEYS[1]), redis.call('set', KEYS[1], 'w', 'NX'), redis.call('get', KEYS[1])}
--- keys=1 k
return redis.call('set', KEYS[1], 9007199254740991)
--- keys=1 k
return redis.call('get', KEYS[1])
--- keys=1 k
redis.call('set', KEYS[1], 'text') return redis.call('incr', KEYS[1])
--- keys=1 k
redis.call('set', KEYS[1], 'text') local r = redis.pcall('incr', KEYS[1]) return {type(r), r.err, r.ignore_error_stats_update}
--- keys=1 k
local r = redis.call('set', KEYS[1], 'x') return {type(r), r.ok}
--- keys=2 k1 k2
redis.call('mset', KEYS[1], 'a', KEYS[2], 'b') return redis.call('mget', KEYS[1], 'nosuch', KEYS[2])
--- keys=2 k1 k2
redis.setresp(3) return redis.call('mget', KEYS[1], 'nosuch', KEYS[2])
--- keys=1 k
redis.call('set', KEYS[1], 'x') redis.call('expire', KEYS[1], 100) return redis.call('persist', KEYS[1])
--- keys=1 lock token
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', 30000) then return 1 else return 0 end
--- keys=1 lock token
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end
--- keys=1 k
return redis.call('incrbyfloat', KEYS[1], 0.1)
--- keys=1 f
redis.call('set', KEYS[1], 1) return redis.call('incrbyfloat', KEYS[1], 0.1)
--- keys=1 z 100 10 5
redis.call('zremrangebyscore', KEYS[1], 0, ARGV[1] - ARGV[2]) local n = redis.call('zcard', KEYS[1]) if n < tonumber(ARGV[3]) then redis.call('zadd', KEYS[1], ARGV[1], ARGV[1]) end redis.call('expire', KEYS[1], ARGV[2]) return n
--- 
redis.setresp(3) local c = redis.call('config', 'get', 'maxmemory') return c
--- 
return redis.pcall('config', 'get', 'maxmemory')
--- keys=1 k
return redis.call('object', 'encoding', KEYS[1])
--- keys=1 k
return redis.call('type', KEYS[1])
--- keys=1 k
return redis.call('type', KEYS[1]).ok
--- keys=1 k
return {redis.call('setrange', KEYS[1], 0, 'abc'), redis.call('append', KEYS[1], 1.5), redis.call('getrange', KEYS[1], 0, -1)}
