/** A database cannot be used with these settings. The message, without secrets, tells the operator which one to change. */
export class OpenError extends Error {
	/** Whether a retry may succeed without a change, because the database is starting or the network is down. */
	readonly mayPass: boolean;
	/** The environment variables to change. */
	readonly settings: readonly string[];

	constructor(message: string, settings: readonly string[], options: { mayPass?: boolean; cause?: unknown } = {}) {
		super(message, { cause: options.cause });
		this.settings = settings;
		this.mayPass = options.mayPass ?? false;
	}
}
