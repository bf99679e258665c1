import type { FastifyBaseLogger } from "fastify";
import type { Config } from "#base/config.ts";
import { isBuiltInEmail } from "#base/email.ts";
import type { DeliveryFailure } from "./delivery-errors.ts";
import { mailRootUrl } from "./mail-links.ts";
import type { Mailer } from "./mailer.ts";
import {
	type Addressee,
	type ExpiringKey,
	type FirstLogIn,
	keysExpireMail,
	type MailSite,
	passwordChangedMail,
	resetMail,
	type StorageWarning,
	storageWarningMail,
	welcomeMail,
} from "./messages.ts";
import { type ReviewQueueNotice, reviewQueueMail } from "./review-queue-mail.ts";

const NO_ROOT_URL = "no mail is sent: set SERVICE_ROOT_URL to the address that browsers use; links in mails need it";

/** The addressee of a mail; `email` is null for LDAP users without one, who get none. */
export interface MailedUser {
	readonly email: string | null;
	readonly username: string;
}

/** The mails that users get. Each is queued and the call returns at once; none is sent while mail is off. */
export class UserMails {
	readonly #mailer: Mailer;
	readonly #site: MailSite | undefined;
	readonly #supportEmail: string | null;
	readonly #resetMinutes: number;
	readonly #log: FastifyBaseLogger;

	constructor(config: Config, mailer: Mailer, log: FastifyBaseLogger) {
		this.#mailer = mailer;
		this.#log = log;
		this.#resetMinutes = config.SERVICE_PASSWORD_RESET_TOKEN_EXPIRY_MINUTES;
		const rootUrl = mailRootUrl(config);
		this.#supportEmail = config.SERVICE_SUPPORT_EMAIL;
		this.#site = rootUrl === undefined ? undefined : { rootUrl, supportEmail: this.#supportEmail };
	}

	/** Whether a link to choose a new password can be sent: there is a mail server, and an address to link to. */
	get canSendLinks(): boolean {
		return this.missing === undefined;
	}

	/** What an operator has to do before links can be sent; undefined when nothing is missing. */
	get missing(): string | undefined {
		if (!this.#mailer.isConfigured) return "no mail is sent: set SERVICE_SMTP_HOSTNAME to a mail server";
		if (this.#site === undefined) return NO_ROOT_URL;
		return undefined;
	}

	welcome(user: MailedUser, firstLogIn: FirstLogIn): void {
		this.#send(user, (to, site) => welcomeMail(to, firstLogIn, site));
	}

	resetLink(user: MailedUser, token: string): void {
		this.#send(user, (to, site) => resetMail(to, token, this.#resetMinutes, site));
	}

	/** `by`: the owner who was logged in, the link of a mail, or an administrator. */
	passwordChanged(user: MailedUser, by: "owner" | "mail" | "admin"): void {
		this.#send(user, (to, site) => passwordChangedMail(to, by, new Date(), site));
	}

	/** Mails about expiring keys, of which `keys` are the first of `count`; where no link can be sent, without one. */
	keysExpire({ email, username }: MailedUser, keys: readonly ExpiringKey[], count: number): void {
		if (email === null || isBuiltInEmail(email)) return;
		const site = { ...this.#site, supportEmail: this.#supportEmail };
		this.#mailer.send(keysExpireMail({ email, username }, keys, count, site));
	}

	/** Sent even where no link can be: it has none. */
	storageWarning({ email, username }: MailedUser, warning: StorageWarning): void {
		if (email === null) return;
		const site = { ...this.#site, supportEmail: this.#supportEmail };
		this.#mailer.send(storageWarningMail({ email, username }, warning, site));
	}

	/**
	 * Sends a mail about a review queue now, once. Nothing to who has no address, and while no link can be sent.
	 * @returns the failure; undefined when the mail server took it
	 */
	async reviewQueue({ email, username }: MailedUser, notice: ReviewQueueNotice): Promise<DeliveryFailure | undefined> {
		if (email === null || isBuiltInEmail(email) || this.#site === undefined) return undefined;
		return await this.#mailer.deliver(reviewQueueMail({ email, username }, notice, this.#site));
	}

	#send(
		{ email, username }: MailedUser,
		write: (to: Addressee, site: MailSite) => Parameters<Mailer["send"]>[0],
	): void {
		if (!this.#mailer.isConfigured || email === null) return;
		if (this.#site === undefined) {
			this.#log.warn(NO_ROOT_URL);
			return;
		}
		this.#mailer.send(write({ email, username }, this.#site));
	}
}
