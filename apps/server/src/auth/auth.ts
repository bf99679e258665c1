import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../config.ts";
import { type Mailer, NO_MAIL } from "../mail/mailer.ts";
import { SmtpMailer } from "../mail/smtp-mailer.ts";
import { UserMails } from "../mail/user-mails.ts";
import type { Database } from "../storage/database.ts";
import { AuditLog } from "./audit.ts";
import { Lockout } from "./lockout.ts";
import { PasswordHasher } from "./passwords.ts";
import { Principals } from "./principals.ts";
import { IpLimits } from "./rate-limit.ts";
import { deriveSigningKeys, type SigningKeys } from "./signing-keys.ts";

/** What signing in and access control are made of; made once. */
export interface Auth extends AsyncDisposable {
	/** `SERVICE_ENABLE_AUTH` */
	readonly enabled: boolean;
	/** Undefined while `SERVICE_SECRET` is unset, which it may be only while authentication is off. */
	readonly keys: SigningKeys | undefined;
	readonly principals: Principals;
	readonly passwords: PasswordHasher;
	readonly lockout: Lockout;
	/** Of log-in and password mails. */
	readonly ipLimits: IpLimits;
	readonly audit: AuditLog;
	readonly mail: Mailer;
	readonly userMails: UserMails;
}

export function createAuth(config: Config, db: Database, log: FastifyBaseLogger, now: () => number): Auth {
	const mail = config.SERVICE_SMTP_HOSTNAME === null ? NO_MAIL : new SmtpMailer(config, log);
	const keys = deriveSigningKeys(config);
	return {
		enabled: config.SERVICE_ENABLE_AUTH,
		keys,
		principals: new Principals(config, db),
		passwords: new PasswordHasher(),
		lockout: new Lockout(config, db, keys, now),
		ipLimits: new IpLimits(config),
		audit: new AuditLog(db, now),
		mail,
		userMails: new UserMails(config, mail, log),
		[Symbol.asyncDispose]: () => mail[Symbol.asyncDispose](),
	};
}
