import { monitorEventLoopDelay } from "node:perf_hooks";
import { COMPATIBILITY_VERSION, VERSION } from "#http/versions.ts";
import { counter, type Family, gauge, sample } from "./exposition.ts";

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
const RESOLUTION_MS = 20;

/** Metrics of the process, with the names that Prometheus' client libraries use. */
export class ProcessFamilies implements Disposable {
	readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	readonly #startedAt = Date.now() / 1_000 - process.uptime();

	constructor() {
		this.#delay.enable();
	}

	/** The delays of the event loop are measured since the previous call. */
	families(): readonly Family[] {
		const { user, system } = process.cpuUsage();
		const memory = process.memoryUsage();
		const delay = this.#delay;
		// Node measures the time between two ticks of a timer of RESOLUTION_MS.
		const late = (nanoseconds: number) =>
			Number.isNaN(nanoseconds) ? 0 : Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000);
		const families = [
			gauge("spanward_build_info", "1, with the versions as labels.", [
				sample(1, { version: VERSION, api_level: COMPATIBILITY_VERSION, node: process.versions.node }),
			]),
			counter("process_cpu_seconds_total", "CPU time of all threads.", (user + system) / MICROSECONDS),
			gauge("process_start_time_seconds", "When the process started.", this.#startedAt),
			gauge("process_resident_memory_bytes", "Memory of the process.", memory.rss),
			gauge("nodejs_heap_size_used_bytes", "JavaScript objects of the main thread.", memory.heapUsed),
			gauge("nodejs_external_memory_bytes", "Buffers and what they belong to.", memory.external),
			gauge("nodejs_eventloop_lag_mean_seconds", "Lateness of the event loop.", late(delay.mean)),
			gauge("nodejs_eventloop_lag_p99_seconds", "Lateness of the event loop.", late(delay.percentile(99))),
			gauge("nodejs_eventloop_lag_max_seconds", "Lateness of the event loop.", late(delay.max)),
		];
		delay.reset();
		return families;
	}

	[Symbol.dispose](): void {
		this.#delay.disable();
	}
}
