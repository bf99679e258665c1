import { networkOf } from "../auth/rate-limit.ts";

interface Waiting {
	readonly network: string;
	readonly settle: (isAdmitted: boolean) => void;
}

const MAX_RUNNING = 64;
const MAX_RUNNING_EACH = 16;
const MAX_WAITING = 512;
const MAX_WAITING_EACH = 128;
const MAX_WAITING_MS = 15_000;

/** Limits how many sign-ins ask a provider at once, so that those of one address leave room for those of others. */
export class ExchangeSlots {
	readonly #running = new Map<string, number>();
	#count = 0;
	#waiting: Waiting[] = [];

	/** Runs `exchange` when there is room. @returns undefined when there is none for too long, or too many wait already */
	async run<T>(ip: string, exchange: () => Promise<T>): Promise<{ readonly result: T } | undefined> {
		const network = networkOf(ip);
		if (this.#hasRoom(network)) this.#enter(network);
		else if (!(await this.#wait(network))) return undefined;
		try {
			return { result: await exchange() };
		} finally {
			this.#leave(network);
		}
	}

	#hasRoom(network: string): boolean {
		return this.#count < MAX_RUNNING && (this.#running.get(network) ?? 0) < MAX_RUNNING_EACH;
	}

	/** Resolves to whether there is room; an admitted sign-in has been counted then. */
	#wait(network: string): Promise<boolean> {
		const ofNetwork = this.#waiting.filter((other) => other.network === network).length;
		if (this.#waiting.length >= MAX_WAITING || ofNetwork >= MAX_WAITING_EACH) return Promise.resolve(false);
		return new Promise((resolve) => {
			const timer = setTimeout(() => settle(false), MAX_WAITING_MS);
			const settle = (isAdmitted: boolean) => {
				clearTimeout(timer);
				this.#waiting = this.#waiting.filter((other) => other.settle !== settle);
				resolve(isAdmitted);
			};
			this.#waiting.push({ network, settle });
		});
	}

	#enter(network: string): void {
		this.#count++;
		this.#running.set(network, (this.#running.get(network) ?? 0) + 1);
	}

	#leave(network: string): void {
		this.#count--;
		const left = (this.#running.get(network) ?? 1) - 1;
		if (left === 0) this.#running.delete(network);
		else this.#running.set(network, left);
		const admitted = this.#waiting.find((waiting) => this.#hasRoom(waiting.network));
		if (admitted === undefined) return;
		this.#enter(admitted.network);
		admitted.settle(true);
	}
}
