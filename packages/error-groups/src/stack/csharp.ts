import type { Call } from "./call.ts";

/** `at Namespace.Type.Method(Type parameter) in path:line 12`; the place is there only with symbols. */
const FRAME = /^at ([^\s(][^(]{0,500})\([^)]{0,2000}\)(?: in (.{1,1000}):line \d+)?$/;
const END_OF_INNER = "--- End of inner exception stack trace ---";
const LIBRARIES =
	/^(?:System|Microsoft|Newtonsoft|Azure|OpenAI|Anthropic|Amazon|Google|Grpc|OpenTelemetry|Polly|MediatR|Npgsql|Castle|Xunit|NUnit|MS)\./;

/**
 * `Exception.ToString` of .NET, the innermost call first. The stack of an inner exception stands before that of the outer one.
 * Source: https://learn.microsoft.com/dotnet/api/system.exception.tostring
 */
export function readCSharpStack(lines: readonly string[]): readonly (readonly Call[])[] | undefined {
	const exceptions: Call[][] = [];
	let calls: Call[] = [];
	for (const line of lines) {
		const text = line.trim();
		if (text === END_OF_INNER && calls.length > 0) {
			exceptions.unshift(calls);
			calls = [];
		}
		const [, name, path = ""] = FRAME.exec(text) ?? [];
		if (name?.includes(".") === true) calls.push(toCall(name, path.replaceAll("\\", "/")));
	}
	if (calls.length > 0) exceptions.unshift(calls);
	return exceptions.length > 0 ? exceptions : undefined;
}

/** What the compiler made of a method: `Orders.<PayAsync>d__5.MoveNext`, `Orders.<>c__DisplayClass1_0.<Pay>b__0`. */
const GENERATED = /^([^<]{1,400}?)\.<.{0,200}?(?<=<)([\w.]{1,200})>/;

function toCall(sent: string, path: string): Call {
	const name = sent.replace(/`\d+/g, "").replace(/\[[^\]]{0,400}\]/g, "");
	const [, type, method] = GENERATED.exec(name) ?? [];
	const dot = name.endsWith("..ctor") || name.endsWith("..cctor") ? name.lastIndexOf("..") : name.lastIndexOf(".");
	const module = type ?? name.slice(0, dot);
	return { module, function: method ?? name.slice(dot + 1), path, isLibrary: LIBRARIES.test(`${module}.`) };
}
