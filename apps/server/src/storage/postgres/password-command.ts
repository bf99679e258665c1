import { execFile } from "node:child_process";

const KEPT_MS = 60_000;
const WITHIN_MS = 15_000;
const MAX_BYTES = 65_536;

/** The command of `SERVICE_POSTGRES_PASSWORD_COMMAND` printed no password. */
export class PasswordCommandFailed extends Error {
	override readonly name = "PasswordCommandFailed";
}

/**
 * What `command` prints, run by the shell when it is asked for and the last answer is older than a minute. What the
 * command says of a failure is not repeated: secrets may be in it.
 */
export function passwordFromCommand(command: string): () => Promise<string> {
	let known: { readonly password: Promise<string>; readonly until: number } | undefined;
	return () => {
		if (known === undefined || known.until < performance.now()) {
			const password = run(command);
			known = { password, until: performance.now() + KEPT_MS };
			password.catch(() => {
				known = undefined;
			});
		}
		return known.password;
	};
}

function run(command: string): Promise<string> {
	return new Promise((resolve, reject) => {
		execFile("/bin/sh", ["-c", command], { timeout: WITHIN_MS, maxBuffer: MAX_BYTES }, (error, stdout) => {
			const password = stdout.replace(/\r?\n$/, "");
			if (error === null && password !== "") return resolve(password);
			const reason =
				error === null
					? "printed nothing"
					: error.killed === true
						? `was ended after ${WITHIN_MS / 1_000} s`
						: `ended with ${error.code ?? "a signal"}`;
			reject(new PasswordCommandFailed(`the command of SERVICE_POSTGRES_PASSWORD_COMMAND ${reason}`));
		});
	});
}
