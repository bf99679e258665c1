import type { FastifyBaseLogger } from "fastify";
import type { Config } from "#base/config.ts";
import { AfterAnswer } from "#http/after-answer.ts";
import type { Database } from "#storage/database.ts";
import { AuditLog } from "./auth/audit.ts";
import { Denials } from "./auth/denials.ts";
import { KeyUses } from "./auth/key-uses/key-uses.ts";
import { SessionCookies } from "./auth/log-in-sessions/cookies.ts";
import { Sessions } from "./auth/log-in-sessions/sessions.ts";
import { Tokens } from "./auth/log-in-sessions/tokens.ts";
import { Lockout } from "./auth/passwords/lockout.ts";
import { PasswordHasher } from "./auth/passwords/passwords.ts";
import { Principals } from "./auth/principals/principals.ts";
import { IpLimits } from "./auth/rate-limit.ts";
import { deriveSigningKeys, type SigningKeys } from "./auth/signing-keys.ts";
import { TokenCounts } from "./authorization-server/token-counts.ts";
import { createDirectory, type LdapDirectory } from "./ldap/directory.ts";
import { type Mailer, NO_MAIL } from "./mail/mailer.ts";
import { SmtpMailer } from "./mail/smtp-mailer.ts";
import { UserMails } from "./mail/user-mails.ts";
import { createProviders, type Providers } from "./oauth2/providers.ts";
import { pinnedPolicy } from "./rights/pinned-policy.ts";
import { RightsReader } from "./rights/rights-reader.ts";

/** What signing in and access control are made of; made once. */
export interface Auth extends AsyncDisposable {
	/** `SERVICE_ENABLE_AUTH` */
	readonly enabled: boolean;
	/** Undefined while `SERVICE_SECRET` is unset, which it may be only while authentication is off. */
	readonly keys: SigningKeys | undefined;
	readonly principals: Principals;
	readonly rights: RightsReader;
	readonly tokens: Tokens;
	readonly sessions: Sessions;
	readonly cookies: SessionCookies;
	readonly passwords: PasswordHasher;
	readonly lockout: Lockout;
	/** Undefined where LDAP is not configured. */
	readonly ldap: LdapDirectory | undefined;
	/** None while authentication is off. */
	readonly oauth2: Providers;
	/** For log-ins and password mails. */
	readonly ipLimits: IpLimits;
	readonly audit: AuditLog;
	readonly denials: Denials;
	readonly keyUses: KeyUses;
	readonly programTokens: TokenCounts;
	readonly mail: Mailer;
	readonly userMails: UserMails;
	/** Work that must not delay an answer. */
	readonly afterAnswer: AfterAnswer;
}

export function createAuth(config: Config, db: Database, log: FastifyBaseLogger, now: () => number): Auth {
	const mail = config.SERVICE_SMTP_HOSTNAME === null ? NO_MAIL : new SmtpMailer(config, log);
	const afterAnswer = new AfterAnswer(log);
	const keys = deriveSigningKeys(config);
	const tokens = new Tokens(config, keys, now);
	const audit = new AuditLog(db, now);
	const lockout = new Lockout(config, db, keys, now);
	const cookies = new SessionCookies(config);
	const sessions = new Sessions({ config, db, tokens, audit, now });
	const oauth2 = createProviders(config, now);
	const onError = (error: unknown) => log.error({ err: error }, "could not record the use of keys");
	const denials = new Denials({ audit, db, log, now });
	const keyUses = new KeyUses(db, now, onError);
	const principals = new Principals({ config, db, tokens, sessions, cookies, now, onError });
	return {
		enabled: config.SERVICE_ENABLE_AUTH,
		keys,
		principals,
		rights: new RightsReader(db, pinnedPolicy(config)),
		tokens,
		sessions,
		cookies,
		passwords: new PasswordHasher(),
		lockout,
		ldap: createDirectory(config, lockout),
		oauth2,
		ipLimits: new IpLimits(config),
		audit,
		denials,
		keyUses,
		programTokens: new TokenCounts(),
		mail,
		userMails: new UserMails(config, mail, log),
		afterAnswer,
		async [Symbol.asyncDispose]() {
			await afterAnswer[Symbol.asyncDispose]();
			await oauth2[Symbol.asyncDispose]();
			await mail[Symbol.asyncDispose]();
			await principals[Symbol.asyncDispose]();
			await keyUses[Symbol.asyncDispose]();
			await denials[Symbol.asyncDispose]();
		},
	};
}
