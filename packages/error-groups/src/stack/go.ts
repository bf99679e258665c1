import type { Call } from "./call.ts";

const FILE = /^\s+(\S.{0,1000}\.(?:go|s)):\d+(?: \+0x[0-9a-f]+)?$/;
const LIBRARY = /\/pkg\/mod\/|\/vendor\/|\/go[\d.]*\/src\/|\/libexec\/src\/|\/goroot\/src\/|^_cgo/i;

/**
 * `runtime/debug.Stack` and `%+v` of pkg/errors: the function, and on the next line its file, the innermost call first. Of
 * several goroutines the first is the one that failed.
 * Source: https://pkg.go.dev/runtime/debug#Stack
 */
export function readGoStack(lines: readonly string[]): readonly (readonly Call[])[] | undefined {
	const calls: Call[] = [];
	for (let i = 1; i < lines.length; i++) {
		const path = FILE.exec(lines[i] ?? "")?.[1];
		if (path !== undefined) calls.push(toCall((lines[i - 1] ?? "").trim(), path.replaceAll("\\", "/")));
		else if (calls.length > 0 && lines[i] === "") break;
	}
	return calls.length > 0 ? [calls] : undefined;
}

function toCall(line: string, path: string): Call {
	const called = line.replace(/^created by /, "").replace(/ in goroutine \d+$/, "");
	const name = called.endsWith(")") ? called.slice(0, called.lastIndexOf("(")) : called;
	const dot = name.indexOf(".", name.lastIndexOf("/") + 1);
	const module = dot < 0 ? "runtime" : name.slice(0, dot);
	return {
		module,
		// Closures are numbered in the order of the source.
		function: name
			.slice(dot + 1)
			.replace(/\.func\d+(?:\.\d+)*/g, ".func")
			.replace(/\[\.\.\.\]/g, ""),
		path,
		isLibrary: LIBRARY.test(path) || isStandardLibrary(module, path),
	};
}

/** With `-trimpath` files are named by their package, and packages of the standard library have no host. */
function isStandardLibrary(module: string, path: string): boolean {
	if (module === "runtime" || module.startsWith("runtime/")) return true;
	const host = module.split("/", 1)[0] ?? "";
	return module !== "main" && !host.includes(".") && path.startsWith(`${module}/`);
}
