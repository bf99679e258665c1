export interface StackLine {
	readonly text: string;
	/** `library` is a frame of somebody else's code; `head` names the error; `code` belongs to the frame above it. */
	readonly type: "head" | "frame" | "library" | "code";
}

const PYTHON_FRAME = /^\s+File "([^"]+)", line \d+/u;
const JS_FRAME = /^\s+at .+/u;
const JVM_FRAME = /^\s+(?:at\s|\.\.\. \d+ more)/u;
const LIBRARY =
	/site-packages|dist-packages|node_modules|node:internal|node:[a-z_]+[/:]|<frozen |\/lib\/python\d|\/lib\/ruby\//u;

/** The lines of a Python, JavaScript or JVM stack trace, with what is the application's own set apart. */
export function stackLines(stack: string): StackLine[] {
	let frame: StackLine["type"] | undefined;
	return stack
		.trimEnd()
		.split(/\r?\n/u)
		.map((text) => {
			if (PYTHON_FRAME.test(text) || JS_FRAME.test(text) || JVM_FRAME.test(text)) {
				frame = LIBRARY.test(text) ? "library" : "frame";
				return { text, type: frame };
			}
			// Python writes the source line and its markers below the frame.
			if (frame && /^\s/u.test(text)) return { text, type: frame === "library" ? "library" : "code" };
			frame = undefined;
			return { text, type: "head" };
		});
}
