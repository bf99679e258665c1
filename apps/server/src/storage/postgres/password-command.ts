import { execFile } from "node:child_process";

const KEPT_MS = 60_000;
/** Minimum age for running the command again, even while log-ins are refused: each of them would run it. */
const LEAST_KEPT_MS = 1_000;
const WITHIN_MS = 15_000;
const MAX_BYTES = 65_536;

/** The command of `SERVICE_POSTGRES_PASSWORD_COMMAND` printed no password. */
export class PasswordCommandFailed extends Error {
	override readonly name = "PasswordCommandFailed";
}

export interface CommandPassword {
	(): Promise<string>;
	/** Tells that a log-in with the password was refused, so it may have changed. */
	refused(): void;
}

/**
 * The output of the shell command `command`, kept for a minute, or shorter once a log-in was refused. What the command
 * prints when it fails is not repeated, as it may contain secrets.
 */
export function passwordFromCommand(command: string): CommandPassword {
	let known: { readonly password: Promise<string>; readonly askedAt: number } | undefined;
	let keptMs = KEPT_MS;
	const ask = () => {
		if (known === undefined || performance.now() - known.askedAt > keptMs) {
			const password = run(command);
			known = { password, askedAt: performance.now() };
			keptMs = KEPT_MS;
			password.catch(() => {
				known = undefined;
			});
		}
		return known.password;
	};
	const refused = () => {
		keptMs = LEAST_KEPT_MS;
	};
	return Object.assign(ask, { refused });
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
