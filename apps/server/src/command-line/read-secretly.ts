import { CommandError, EXIT_DATA } from "./command-error.ts";

const MAX_BYTES = 65_536;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const BACKSPACE = new Set(["\u007f", "\b"]);

/**
 * Reads a secret from standard input. On a terminal it is typed without echo, a new one twice; otherwise the whole
 * input is read, without a final line break.
 */
export async function readSecretly(prompt: string, { isNew }: { readonly isNew: boolean }): Promise<string> {
	if (!process.stdin.isTTY) return await readAll();
	const text = await readUnseen(`${prompt}: `);
	if (!isNew) return text;
	if ((await readUnseen(`${prompt}, again: `)) !== text) throw new CommandError(EXIT_DATA, "The two do not match.");
	return text;
}

async function readAll(): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of process.stdin) {
		const buffer = Buffer.from(chunk);
		bytes += buffer.length;
		if (bytes > MAX_BYTES) throw new CommandError(EXIT_DATA, `Standard input has more than ${MAX_BYTES} bytes.`);
		chunks.push(buffer);
	}
	return Buffer.concat(chunks)
		.toString("utf8")
		.replace(/\r?\n$/, "");
}

/** Reads key by key in raw mode, as the terminal would otherwise echo what is typed. */
async function readUnseen(prompt: string): Promise<string> {
	process.stderr.write(prompt);
	process.stdin.setRawMode(true);
	process.stdin.setEncoding("utf8");
	try {
		return await new Promise((resolve, reject) => {
			const typed: string[] = [];
			const onData = (keys: string) => {
				for (const key of keys) {
					if (key === "\r" || key === "\n") return finish(() => resolve(typed.join("")));
					if (key === CTRL_C || key === CTRL_D) return finish(() => reject(new CommandError(130, "Nothing was done.")));
					if (BACKSPACE.has(key)) typed.pop();
					else typed.push(key);
				}
			};
			const finish = (settle: () => void) => {
				process.stdin.off("data", onData);
				settle();
			};
			process.stdin.on("data", onData);
			process.stdin.resume();
		});
	} finally {
		process.stdin.setRawMode(false);
		process.stdin.pause();
		process.stderr.write("\n");
	}
}
