import type { DeliveryFailure } from "./delivery-errors.ts";

/** A mail to one person; texts are escaped where they are put into the HTML part. */
export interface Mail {
	readonly to: string;
	readonly cc?: string;
	/** Only words of ours, as it is logged. */
	readonly subject: string;
	readonly text: string;
	readonly html: string;
}

export interface Mailer extends AsyncDisposable {
	/** False while `SERVICE_SMTP_HOSTNAME` is unset. */
	readonly isConfigured: boolean;
	/** Queues a mail and returns at once; failures are tried again and logged, never thrown. */
	send(mail: Mail): void;
	/**
	 * Sends a mail now, once, while somebody waits. Resolves to the failure, or to undefined when the mail server took
	 * it.
	 */
	deliver(mail: Mail): Promise<DeliveryFailure | undefined>;
}

/** Mail is off. */
export const NO_MAIL: Mailer = {
	isConfigured: false,
	send: () => undefined,
	deliver: async () => ({ code: "off", reason: "there is no mail server", hint: "SERVICE_SMTP_HOSTNAME" }),
	[Symbol.asyncDispose]: async () => undefined,
};
