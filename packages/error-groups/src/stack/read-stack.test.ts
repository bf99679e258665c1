import { expect, test } from "vitest";
import { readStack } from "./read-stack.ts";

/** `*module:function` for own code. */
function calls(stack: string, ownCode: readonly string[] = []): string[] {
	return readStack(stack, ownCode).map((frame) => `${frame.is_own ? "*" : ""}${frame.module}:${frame.function}`);
}

test("Python: the innermost call is last, and the exception that was recorded comes after its cause", () => {
	const stack = `Traceback (most recent call last):
  File "/srv/app/shop/db.py", line 7, in query
    raise KeyError("city")
KeyError: 'city'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/venv/lib/python3.11/site-packages/langgraph/pregel/main.py", line 3084, in stream
    for _ in runner.tick(
             ^^^^^^^^^^^^
  File "/usr/lib/python3.11/concurrent/futures/_base.py", line 401, in __get_result
  File "<frozen importlib._bootstrap>", line 241, in _call_with_frames_removed
  File "/srv/app/shop/orders.py", line 12, in <lambda>
  File "C:\\work\\shop\\main.py", line 3
ValueError: no rooms`;
	expect(calls(stack)).toEqual([
		"*shop/main:<module>",
		"*shop/orders:<lambda>",
		"importlib._bootstrap:_call_with_frames_removed",
		"concurrent.futures._base:__get_result",
		"langgraph.pregel.main:stream",
		"*shop/db:query",
	]);
});

test("Python: lines of an exception group", () => {
	const stack = `  + Exception Group Traceback (most recent call last):
  |   File "/app/svc/a.py", line 1, in a
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/app/svc/b.py", line 2, in b
    | ValueError: x`;
	expect(calls(stack)).toEqual(["*svc/b:b", "*svc/a:a"]);
});

test("JavaScript: V8 with async frames, bundlers, file URLs and evaluated code", () => {
	const stack = `TypeError: tool broke
    at Object.execute [as run] (file:///tmp/shop/j5/app.mjs:4:280)
    at executeTool (file:///tmp/shop/j5/node_modules/.pnpm/ai@5/node_modules/@ai-sdk/utils/dist/index.mjs:3315:18)
    at executeTool.next (<anonymous>)
    at async Promise.all (index 0)
    at async fn (webpack-internal:///(rsc)/./src/app/page.tsx:12:3)
    at new Foo (webpack://acme/./src/foo.ts?abcd:12:3)
    at webpack://acme/./node_modules/react/index.js:1:2
    at https://app.example.com/assets/index-B7kqW12a.js:1:234
    at eval (eval at run (/srv/shop/rules.js:1:2), <anonymous>:1:1)
    at C:\\work\\shop\\main.js:3:4
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)`;
	expect(calls(stack)).toEqual([
		"*j5/app:execute",
		"@ai-sdk/utils/dist/index:executeTool",
		":executeTool.next",
		":Promise.all",
		"*app/page:fn",
		"*src/foo:Foo",
		"react/index:<anonymous>",
		"*assets/index:<anonymous>",
		"*<eval>:eval",
		"*shop/main:<anonymous>",
		"node:internal/process/task_queues:process.processTicksAndRejections",
	]);
});

test("JavaScript: causes, and the stacks of Firefox and Safari", () => {
	expect(calls("Error: a\n    at f (/x/a.js:1:2) {\n  [cause]: Error: b\n      at g (/x/b.js:3:4)\n}")).toEqual([
		"*x/b:g",
	]);
	expect(calls("Error: a\n    at f (/x/a.js:1:2)\n  [cause]: Error: b\n      at g (/x/b.js:3:4)")).toEqual([
		"*x/a:f",
		"*x/b:g",
	]);
	expect(calls("pay@https://shop.example.com/js/orders.js:12:3\n@https://shop.example.com/js/main.js:1:1")).toEqual([
		"*js/orders:pay",
		"*js/main:<anonymous>",
	]);
});

test("Java: lambdas, modules, proxies and causes", () => {
	const stack = `java.lang.IllegalStateException: x (y)
	at com.acme.Orders.lambda$pay$0(Orders.java:12) ~[app.jar:1.2]
	at com.acme.Orders$$Lambda$14/0x0000000800c03000.apply(Unknown Source)
	at app//com.acme.shop.Main$1.main(Main.kt:3)
	at java.base/java.lang.Thread.run(Thread.java:833)
	at org.springframework.web.Dispatcher.<init>(Dispatcher.java)
Caused by: java.io.IOException: z
	at com.acme.Net.get(Native Method)
	... 23 more`;
	expect(calls(stack)).toEqual([
		"*com.acme.Orders:lambda$pay",
		"*com.acme.Orders:apply",
		"*com.acme.shop.Main:main",
		"java.lang.Thread:run",
		"org.springframework.web.Dispatcher:<init>",
		"*com.acme.Net:get",
	]);
});

test("Go: methods, closures, modules and the standard library", () => {
	const stack = `goroutine 1 [running]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:24 +0x5e
go.opentelemetry.io/otel/sdk/trace.recordStackTrace()
	/root/go/pkg/mod/go.opentelemetry.io/otel/sdk@v1.2/trace/span.go:1 +0x1
panic({0x1, 0x2})
	runtime/panic.go:914 +0x21f
net/http.HandlerFunc.ServeHTTP(0x1)
	net/http/server.go:2136 +0x29
github.com/acme/shop/orders.(*Service).Pay(0xc000012, {0x1})
	/app/orders/service.go:42 +0x1d
main.main.func1.2()
	/app/main.go:10 +0x1
created by main.run in goroutine 1
	/app/main.go:9 +0x25

goroutine 7 [select]:
main.other()
	/app/main.go:99 +0x25`;
	expect(calls(stack)).toEqual([
		"runtime/debug:Stack",
		"go.opentelemetry.io/otel/sdk/trace:recordStackTrace",
		"runtime:panic",
		"net/http:HandlerFunc.ServeHTTP",
		"*github.com/acme/shop/orders:(*Service).Pay",
		"*main:main.func",
		"*main:run",
	]);
});

test("C#: what the compiler made of async methods and lambdas, and inner exceptions, which come first", () => {
	const stack = `System.InvalidOperationException: outer
 ---> System.Exception: inner
   at Acme.Db.Query(String sql, Int32 n) in C:\\src\\Db.cs:line 7
   --- End of inner exception stack trace ---
   at Acme.Orders.<PayAsync>d__5.MoveNext() in /src/Orders.cs:line 42
--- End of stack trace from previous location ---
   at System.Runtime.CompilerServices.TaskAwaiter.HandleNonSuccess(Task task)
   at Acme.Jobs.<>c__DisplayClass1_0.<Main>b__0(Object o)
   at Acme.Repo\`1..ctor()
   at Acme.List\`1[System.String].Add(T x)`;
	expect(calls(stack)).toEqual([
		"*Acme.Orders:PayAsync",
		"System.Runtime.CompilerServices.TaskAwaiter:HandleNonSuccess",
		"*Acme.Jobs:Main",
		"*Acme.Repo:.ctor",
		"*Acme.List:Add",
		"*Acme.Db:Query",
	]);
});

test("a call that repeats itself counts once", () => {
	const stack = `Traceback (most recent call last):\n${'  File "/a/b.py", line 1, in walk\n'.repeat(900)}RecursionError: x`;
	expect(calls(stack)).toEqual(["*a/b:walk"]);
});

test("paths and modules that a project calls its own are own code", () => {
	const python = 'Traceback (most recent call last):\n  File "/x/site-packages/acme/a.py", line 1, in f\nE';
	expect(calls(python, ["/site-packages/acme/"])).toEqual(["*acme.a:f"]);
	expect(calls("E\n\tat org.apache.acme.A.b(A.java:1)", ["org.apache.acme."])).toEqual(["*org.apache.acme.A:b"]);
	expect(calls(python, [""])).toEqual(["acme.a:f"]);
});

test.each([
	["/srv/releases/20261127/shop/pay.py", "shop/pay"],
	["/srv/shop/v1.2.3/pay.py", "shop/pay"],
	["/pay.py", "pay"],
])("the module of %s is the same on every machine", (path, module) => {
	expect(calls(`Traceback (most recent call last):\n  File "${path}", line 1, in f\nE`)).toEqual([`*${module}:f`]);
});

test.each(["", "Error: no stack", "at", "at (", 'File "', "\u0000\ud800", "at x\n".repeat(10_000)])(
	"%j is no stack",
	(stack) => {
		expect(calls(stack)).toEqual([]);
	},
);

test.each(["a", " ", "at ", "at a.", "a@", 'File "', "at a(", "(", "at a.b.c(d.java:1)x", "\tx.go:"])(
	"a line of 16 MB of %j is left out",
	(repeated) => {
		const line = repeated.repeat(16_000_000 / repeated.length);
		expect(calls(`Error\n${line}\n    at f (/x/a.js:1:2)\n`)).toEqual(["*x/a:f"]);
		expect(calls(`Error\n    at f (/x/a.js:1:2)\n${line}`)).toEqual(["*x/a:f"]);
	},
);
