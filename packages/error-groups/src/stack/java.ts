import type { Call } from "./call.ts";

/** `at loader/module@version/package.Class.method(File.java:12)`; what follows is added by logging libraries. */
const FRAME = /^at (?:[\w.@-]{0,100}\/){0,2}([\p{L}\p{N}_$.<>/]{1,500})\.([\p{L}\p{N}_$<>-]{1,200})\(([^()]{0,200})\)/u;
const SOURCE =
	/^(?:Native Method|Unknown Source|<\w+>|[\p{L}\p{N}_$.-]{1,150}\.(?:java|kts?|scala|groovy|clj)(?::\d+)?|SourceFile(?::\d+)?)$/u;
const CAUSE = "Caused by: ";

/** The JDK, the standard libraries of the JVM's languages, and frameworks, which have no folder of their own on a stack. */
const LIBRARIES =
	/^(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|android|androidx|org\.(?:springframework|apache|hibernate|eclipse|junit|codehaus|jboss|slf4j|glassfish|jetbrains|reactivestreams)|io\.(?:netty|opentelemetry|grpc|micrometer|vertx|quarkus|micronaut|ktor|reactivex|undertow)|reactor|com\.(?:fasterxml|google|zaxxer|openai|anthropic|azure|amazonaws|squareup)|software\.amazon|okhttp3|okio|retrofit2|dev\.langchain4j|ch\.qos)\./;

/**
 * `Throwable.printStackTrace`: `at package.Class.method(File.java:12)`, the innermost call first, `Caused by:` begins the cause.
 * Source: https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/Throwable.html#printStackTrace()
 */
export function readJavaStack(lines: readonly string[]): readonly (readonly Call[])[] | undefined {
	const exceptions: Call[][] = [];
	let calls: Call[] = [];
	for (const line of lines) {
		const text = line.trimStart();
		if (text.startsWith(CAUSE) && calls.length > 0) {
			exceptions.push(calls);
			calls = [];
		}
		const [, className, method, source] = FRAME.exec(text) ?? [];
		if (className === undefined || method === undefined || !SOURCE.test(source ?? "")) continue;
		calls.push(toCall(className, method));
	}
	if (calls.length > 0) exceptions.push(calls);
	return exceptions.length > 0 ? exceptions : undefined;
}

/** Numbers of lambdas, proxies and anonymous classes change with every build: `Orders$$Lambda$14`, `lambda$pay$0`. */
function toCall(className: string, method: string): Call {
	const module = className.replace(/\$\$.*$|\/0x.*$/, "").replace(/(?:\$\d+)+$/, "");
	return {
		module,
		function: method.replace(/\$\d+/g, ""),
		path: "",
		isLibrary: LIBRARIES.test(`${module}.`),
	};
}
