import { setting } from "./setting.ts";
import { integer } from "./value-kinds.ts";

/** Experiments that the server runs, and evaluators. */
export const EVALUATION = {
	SERVICE_EVALUATION_CONCURRENCY: setting(
		integer(0, 256),
		16,
		"Runs and evaluations of experiment jobs that this process carries out at a time; 0 leaves them to other servers on the same database.",
	),
	SERVICE_CODE_EVALUATOR_WORKERS: setting(
		integer(0, 8),
		1,
		"Number of threads that run the code of evaluators, which start when they are needed. 0: no code evaluators.",
	),
};
