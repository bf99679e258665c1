/** A mail to one person; texts are escaped where they are put into the HTML part. */
export interface Mail {
	readonly to: string;
	readonly cc?: string;
	/** Of our own words only: it is logged. */
	readonly subject: string;
	readonly text: string;
	readonly html: string;
}

export interface Mailer extends AsyncDisposable {
	/** False while `SERVICE_SMTP_HOSTNAME` is unset. */
	readonly isConfigured: boolean;
	/** Queues a mail and returns at once; failures are tried again and logged, never thrown. */
	send(mail: Mail): void;
}

/** Mail is off. */
export const NO_MAIL: Mailer = {
	isConfigured: false,
	send: () => undefined,
	[Symbol.asyncDispose]: async () => undefined,
};
