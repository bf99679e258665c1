import { parentPort, workerData } from "node:worker_threads";
import { AgreementCounter, CalibrationCounter } from "./measure-figures.ts";
import type { AgreementTask, CalibrationTask, ToThread } from "./thread-messages.ts";

/** The thread that computes one set of figures: gets what they are of in parts, answers once, and ends. */

interface Counter {
	add(part: unknown): void;
	finish(): unknown;
}

// A thread gets its task once, from compute-in-thread.ts.
const task = workerData as AgreementTask | CalibrationTask;
const counter: Counter = task.kind === "agreement" ? new AgreementCounter(task) : new CalibrationCounter(task);

parentPort?.on("message", (message: ToThread) => {
	if (message !== "end") {
		for (const part of message) counter.add(part);
		return;
	}
	parentPort?.postMessage(counter.finish());
	parentPort?.close();
});
