import type { Lockout } from "../auth/passwords/lockout.ts";
import type { Config } from "../config.ts";
import type { LdapIdentity } from "../external-accounts/identity.ts";
import type { Step, Steps } from "../sign-in/steps.ts";

export interface LdapCredentials {
	readonly username: string;
	readonly password: string;
}

/** What one of the servers answered to a check of the settings. */
export interface ServerReport {
	readonly address: string;
	readonly steps: readonly Step[];
}

/** Who a directory says somebody is. */
export class LdapDirectory {
	readonly config: Config;
	readonly lockout: Lockout;

	constructor(config: Config, lockout: Lockout) {
		this.config = config;
		this.lockout = lockout;
	}

	/**
	 * Checks a password and lets `admit` decide about who it belongs to. All of it is one attempt of the lock-out, for the
	 * name that was typed and for the entry that has it.
	 * @throws SignInRefusal `invalid_login`, or `directory_unavailable` which does not count as an attempt
	 * @throws UserError 429 while the name or the entry is locked
	 */
	async authenticate<T>(
		_credentials: LdapCredentials,
		steps: Steps,
		_admit: (identity: LdapIdentity) => Promise<T>,
	): Promise<T> {
		throw steps.refuse("connect", "directory_unavailable", "No directory server could be asked.");
	}

	/**
	 * As {@link authenticate}, for an admin who tries the settings: without a password only what the directory says of the
	 * user. A password counts for the lock-out.
	 * @throws SignInRefusal as the real one would
	 */
	async inspect(_username: string, _password: string | undefined, steps: Steps): Promise<LdapIdentity> {
		throw steps.refuse("connect", "directory_unavailable", "No directory server could be asked.");
	}

	/** Whether each server can be reached, takes the service account and has the bases. */
	async check(): Promise<readonly ServerReport[]> {
		return [];
	}
}

/** Undefined where LDAP is not configured. */
export function createDirectory(config: Config, lockout: Lockout): LdapDirectory | undefined {
	if (!config.SERVICE_ENABLE_AUTH || config.SERVICE_LDAP_HOST.length === 0) return undefined;
	return new LdapDirectory(config, lockout);
}
