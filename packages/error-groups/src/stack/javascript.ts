import type { Call } from "./call.ts";
import { moduleOfPath, pathInLibrary } from "./module-of-path.ts";

/** `file:line:column` or `file:line`. */
const LOCATION = /^(.{0,1500}?):\d+(?::\d+)?$/;
/** Firefox and Safari: `function@file:line:column`. */
const GECKO = /^([^@]{0,200})@(.{1,1500}):\d+:\d+$/;
const WITHOUT_FILE = /^(?:<anonymous>|native|index \d+|unknown location)$/;
const CAUSE = /^(?:\[cause\]:|Caused by:)/;

/**
 * V8: `at function (file:line:column)`, `at async …`, `at new …`, `at Type.function [as name] (…)`, `at file:line:column`,
 * the innermost call first; `[cause]:` begins the cause.
 * Source: https://v8.dev/docs/stack-trace-api
 */
export function readJavaScriptStack(lines: readonly string[]): readonly (readonly Call[])[] | undefined {
	const exceptions: Call[][] = [];
	let calls: Call[] = [];
	for (const line of lines) {
		const text = line.trim();
		if (CAUSE.test(text) && calls.length > 0) {
			exceptions.push(calls);
			calls = [];
		}
		const call = text.startsWith("at ") ? readV8(text.slice(3)) : readGecko(text);
		if (call !== undefined) calls.push(call);
	}
	if (calls.length > 0) exceptions.push(calls);
	return exceptions.some((found) => found.some(({ path }) => path !== "")) ? exceptions : undefined;
}

function readV8(text: string): Call | undefined {
	const called = text.replace(/^async /, "");
	const paren = called.endsWith(")") ? called.indexOf(" (") : -1;
	if (paren < 0) return readLocation("", called);
	return readLocation(called.slice(0, paren), called.slice(paren + 2, -1));
}

function readGecko(text: string): Call | undefined {
	const [, name, path] = GECKO.exec(text) ?? [];
	return name === undefined || path === undefined ? undefined : toCall(name, path);
}

function readLocation(name: string, location: string): Call | undefined {
	if (location.startsWith("eval at ")) return toCall(name, "<eval>");
	if (WITHOUT_FILE.test(location)) return { module: "", function: functionName(name), path: "", isLibrary: true };
	const path = LOCATION.exec(location)?.[1];
	return path === undefined ? undefined : toCall(name, path);
}

/** Without what depends on how it was called: `new`, `[as name]`, and the receivers that plain objects have. */
function functionName(sent: string): string {
	const name = sent
		.replace(/^new /, "")
		.replace(/ \[as [^\]]{0,200}\]$/, "")
		.replace(/^(?:Object|Module|Function|global|globalThis|window)\./, "");
	return name === "" ? "<anonymous>" : name;
}

/** Folders of packages of npm and Yarn, and hosts that serve them. */
const PACKAGES = ["/node_modules/", "node_modules/", "/.yarn/", "cdn.jsdelivr.net/npm/", "unpkg.com/", "esm.sh/"];
/** Node, Deno and Bun themselves, what bundlers add, and extensions of browsers. */
const RUNTIME = /^(?:node:|internal\/|ext:|deno:|bun:|webpack\/|[a-z]+-extension:)/;
/** `webpack://name/./src/a.ts`, `webpack-internal:///(rsc)/./src/a.ts`, `file:///srv/a.mjs`, `https://host/a.js`. */
const SCHEME = /^(?:webpack(?:-internal)?:\/\/[^/]{0,200}\/|file:\/\/|https?:\/\/(?=[^/]{0,200}))/;

function toCall(sentName: string, sentPath: string): Call {
	const name = functionName(sentName);
	const path = sentPath.replaceAll("\\", "/").replace(/[?#].*$/s, "");
	const local = path.replace(SCHEME, "").replace(/^\([\w-]{1,40}\)\//, "");
	const inPackages = pathInLibrary(local, PACKAGES);
	if (inPackages !== undefined) return { module: inPackages, function: name, path, isLibrary: true };
	if (RUNTIME.test(local)) return { module: local, function: name, path, isLibrary: true };
	return { module: moduleOfPath(withoutHost(path, local)), function: name, path, isLibrary: false };
}

/** The same file is served by several hosts. */
function withoutHost(path: string, local: string): string {
	return /^https?:/.test(path) ? local.slice(local.indexOf("/") + 1) : local;
}
