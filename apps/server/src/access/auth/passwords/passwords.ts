import { availableParallelism } from "node:os";
import { UserError } from "#base/errors.ts";
import { NoPermit, Semaphore } from "#base/semaphore.ts";
import { isTooLong, normalizePassword } from "./password-policy.ts";

const ARGON2ID = 2;
/** OWASP's second choice of argon2id parameters; RFC 9106. */
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
const MAX_WAITING = 200;
/**
 * Hash of a password that nobody has, with current parameters: passwords for unknown accounts are checked against it.
 */
const DUMMY_HASH = "$argon2id$v=19$m=19456,t=2,p=1$c3BhbndhcmQgbm9ib2R5IQ$o/TpMAa3kHqQj5MAkFs/OcWSJmFCrRYCyDG+YLyNp3w";

/** Hashes passwords off the main thread, as many at a time as there are cores. */
export class PasswordHasher {
	readonly #semaphore = new Semaphore(availableParallelism(), MAX_WAITING);

	/** The PHC string of a password, with a salt of its own. @throws UserError 503 while too many wait */
	hash(password: string): Promise<string> {
		return this.#withPermit(async () => {
			const { hash } = await loadArgon2();
			return await hash(normalizePassword(password), PARAMETERS);
		});
	}

	/**
	 * Whether `password` is the one of this PHC string; takes as long without one, for accounts that do not exist.
	 * @throws UserError 503 while too many wait
	 */
	async verify(phc: string | null, password: string): Promise<boolean> {
		// A password that nobody can have set need not be normalized, but must take as long to check.
		const known = isTooLong(password) ? null : phc;
		const typed = isTooLong(password) ? "" : normalizePassword(password);
		const matches = await this.#withPermit(async () => {
			const { verify } = await loadArgon2();
			return await verify(known ?? DUMMY_HASH, typed);
		});
		return known !== null && matches;
	}

	/** Whether a hash was made with weaker parameters than those of today. */
	isOutdated(phc: string): boolean {
		return !phc.startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
	}

	async #withPermit<T>(work: () => Promise<T>): Promise<T> {
		try {
			return await this.#semaphore.run(work);
		} catch (error) {
			if (!(error instanceof NoPermit)) throw error;
			throw new UserError(503, "too_many_log_ins", "Too many people are logging in at the moment; try again.", {
				retryAfter: 2,
			});
		}
	}
}

/** Native code of 3 MB that only passwords need. */
function loadArgon2() {
	return import("@node-rs/argon2");
}
