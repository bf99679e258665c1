import type { Call } from "./call.ts";
import { moduleOfPath, pathInLibrary } from "./module-of-path.ts";

const FRAME = /^File "([^"]{1,1000})", line \d+(?:, in (.{1,200}))?$/;
const TRACEBACK = "Traceback (most recent call last)";
const PACKAGES = ["/site-packages/", "/dist-packages/"];
const STANDARD_LIBRARY = /\/lib\/python3?\.\d+\/|\/python\d{2,3}\.zip\/|\/Python\d{2,3}\/Lib\/|^<frozen /i;

/**
 * Python's `traceback` module: `File "path", line 3, in function`, the innermost call last. Of chained exceptions the
 * one that was recorded comes last, after "The above exception was the direct cause …" or "During handling …".
 * Exception groups have `|` before each line.
 * Source: https://docs.python.org/3/library/traceback.html
 */
export function readPythonStack(lines: readonly string[]): readonly (readonly Call[])[] | undefined {
	const exceptions: Call[][] = [];
	let calls: Call[] = [];
	for (const line of lines) {
		const text = line.replace(/^[\s|+]{1,100}/, "");
		if (text.startsWith(TRACEBACK) && calls.length > 0) {
			exceptions.unshift(calls.reverse());
			calls = [];
		}
		const [, path, name = "<module>"] = FRAME.exec(text) ?? [];
		if (path !== undefined) calls.push(toCall(path.replaceAll("\\", "/"), name));
	}
	if (calls.length > 0) exceptions.unshift(calls.reverse());
	return exceptions.length > 0 ? exceptions : undefined;
}

function toCall(path: string, name: string): Call {
	const inPackages = pathInLibrary(path, PACKAGES);
	const standard = STANDARD_LIBRARY.exec(path);
	const inLibrary = inPackages ?? (standard === null ? undefined : path.slice(standard.index + standard[0].length));
	if (inLibrary === undefined) return { module: moduleOfPath(path), function: name, path, isLibrary: false };
	const module = inLibrary.replace(/\.pyc?$|>$/, "").replaceAll("/", ".");
	return { module, function: name, path, isLibrary: true };
}
