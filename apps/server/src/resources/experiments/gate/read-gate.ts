import type { Kysely } from "kysely";
import { UserError } from "#base/errors.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import type { PageLinks } from "#http/page-links.ts";
import type { Rights } from "#http/rights.ts";
import type { Tables } from "#storage/schema.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import { findMinimized } from "../compare.ts";
import { listNames } from "../evaluations.ts";
import { type ExperimentRow, findExperimentOf, invalidExperimentId } from "../queries.ts";
import { findTagged } from "../tags.ts";
import { decide, findIncomplete, type GateProblem } from "./decide.ts";
import { type Excerpt, type Failure, findExcerpts, findFailures, isWorkedOn, type Regression } from "./gate-queries.ts";
import type { Gate } from "./gate-schemas.ts";
import { type Measures, readMeasures } from "./measures.ts";
import type { Requirement } from "./parse-requirement.ts";
import { largestRegressions } from "./regressions.ts";

const MOST_REGRESSIONS = 10;
/** Of a test report. */
const MOST_CASES = 1_000;
const TAG = "tag:";

export interface GateOptions {
	readonly requirements: readonly Requirement[];
	/** As it was sent. */
	readonly baseline: string | undefined;
	readonly isBaselineOptional: boolean;
	readonly mayBeIncomplete: boolean;
	/** A test report also names the examples that failed or have become worse. */
	readonly format: "json" | "markdown" | "junit";
}

/** An example that a test report has a case of. */
export interface ExampleCase {
	readonly id: string;
	readonly externalId: string | null;
	readonly url: string;
	readonly regressions: readonly Regression[];
	readonly failures: readonly Failure[];
	readonly excerpt: Excerpt | undefined;
}

export interface GateResult {
	readonly answer: Gate;
	/** Of a test report. */
	readonly examples: readonly ExampleCase[];
	/** Whether more examples failed or have become worse than a report has room for. */
	readonly hasMoreExamples: boolean;
}

interface Sources {
	readonly db: Kysely<Tables>;
	readonly traces: TraceReader;
	readonly rights: Rights;
	readonly links: PageLinks;
}

/** @throws UserError 422 for a baseline that cannot be one */
export async function readGate(sources: Sources, experiment: ExperimentRow, options: GateOptions): Promise<GateResult> {
	const { db, traces, rights, links } = sources;
	const { requirements } = options;
	const baseline = await findBaseline(db, rights, { experiment, named: options.baseline });
	const named = requirements.flatMap(({ quantity }) => ("metric" in quantity ? [quantity.metric] : []));
	const metrics = named.length > 0 ? [...new Set(named)] : await listNames(db, experiment.id);
	const minimized = await findMinimized(db, metrics);
	const measures = await readMeasures(db, traces, { experiment, baseline, minimized });
	const problems = await findProblems(db, experiment, { options, baseline, measures });
	const outcomes = await decide(requirements, measures, options);
	const isReport = options.format === "junit";
	const regressions =
		baseline === undefined
			? []
			: await largestRegressions(
					db,
					{ experiment, baseline, minimized },
					{ metrics, measures, limit: isReport ? MOST_CASES + 1 : MOST_REGRESSIONS },
				);
	const linkTo = linker(links, experiment, baseline);
	const listed = regressions.slice(0, MOST_REGRESSIONS);
	const failures = isReport ? await findFailures(db, experiment.id, 2 * MOST_CASES) : [];
	const exampleIds = [...new Set([...regressions, ...failures].map(({ exampleId }) => exampleId))];
	const room = MOST_CASES - requirements.length - problems.length;
	const reported = isReport ? exampleIds.slice(0, room) : listed.map(({ exampleId }) => exampleId);
	const excerpts = await findExcerpts(db, experiment, reported);
	const answer: Gate = {
		passed: problems.length === 0 && outcomes.every(({ outcome }) => outcome !== "failed"),
		problems: [...problems],
		url: linkTo(),
		experiment: {
			...toGateExperiment(experiment),
			successful_run_count: measures.totals.runs.successful,
			failed_run_count: measures.totals.runs.failed,
			missing_run_count: measures.missingRuns,
		},
		baseline: baseline === undefined ? null : toGateExperiment(baseline),
		requirements: outcomes.map(({ requirement, interval, ...outcome }) => ({
			requirement: requirement.text,
			...outcome,
			confidence_interval: interval === null ? null : [interval[0], interval[1]],
		})),
		regressions: listed.map(({ exampleId, metric, value, baseline: before }) => ({
			metric,
			example_id: encodeGlobalId("DatasetExample", exampleId),
			external_id: excerpts.get(exampleId)?.externalId ?? null,
			...{ value, baseline_value: before },
			url: linkTo(exampleId, metric),
		})),
	};
	if (!isReport) return { answer, examples: [], hasMoreExamples: false };
	const regressionsOf = Map.groupBy(regressions, ({ exampleId }) => exampleId);
	const failuresOf = Map.groupBy(failures, ({ exampleId }) => exampleId);
	const examples = reported.map((id) => ({
		id: encodeGlobalId("DatasetExample", id),
		externalId: excerpts.get(id)?.externalId ?? null,
		url: linkTo(id, regressionsOf.get(id)?.[0]?.metric),
		regressions: regressionsOf.get(id) ?? [],
		failures: failuresOf.get(id) ?? [],
		excerpt: excerpts.get(id),
	}));
	return { answer, examples, hasMoreExamples: exampleIds.length > room };
}

/**
 * The experiment to compare with; undefined when it is not there.
 * @throws UserError 422 when it is no id and no tag, or the experiment itself
 */
async function findBaseline(
	db: Kysely<Tables>,
	rights: Rights,
	{ experiment, named }: { experiment: ExperimentRow; named: string | undefined },
): Promise<ExperimentRow | undefined> {
	const { dataset_id: datasetId } = experiment;
	if (named === undefined) return undefined;
	if (named.startsWith(TAG)) {
		const id = await findTagged(db, datasetId, named.slice(TAG.length));
		return id === undefined ? undefined : await findExperimentOf(db, rights, { datasetId, id });
	}
	const id = decodeGlobalId(named, "Experiment");
	if (id === undefined) throw invalidExperimentId(named);
	if (id === experiment.id)
		throw new UserError(422, "same_experiment", "An experiment cannot be the baseline of its own gate");
	return await findExperimentOf(db, rights, { datasetId, id });
}

async function findProblems(
	db: Kysely<Tables>,
	experiment: ExperimentRow,
	given: { options: GateOptions; baseline: ExperimentRow | undefined; measures: Measures },
): Promise<GateProblem[]> {
	const { options, baseline, measures } = given;
	const problems: GateProblem[] = [];
	if (!options.mayBeIncomplete) {
		const incomplete = findIncomplete(options.requirements, measures, await isWorkedOn(db, experiment.id));
		if (incomplete !== undefined) problems.push(incomplete);
	}
	if (options.baseline !== undefined && baseline === undefined && !options.isBaselineOptional) {
		const what = options.baseline.startsWith(TAG)
			? `No experiment of the dataset has the tag "${options.baseline.slice(TAG.length)}".`
			: "The dataset has no experiment with the id of the baseline.";
		problems.push({ code: "no_baseline", message: what });
	}
	return problems;
}

function toGateExperiment({ id, name, example_count, repetitions }: ExperimentRow) {
	return { id: encodeGlobalId("Experiment", id), name, example_count, repetitions };
}

/** Makes addresses of the comparison with the baseline, or of the experiment alone. */
function linker(links: PageLinks, experiment: ExperimentRow, baseline: ExperimentRow | undefined) {
	const dataset = encodeGlobalId("Dataset", experiment.dataset_id);
	const rows = baseline === undefined || baseline.id === experiment.id ? [experiment] : [baseline, experiment];
	const experiments = rows.map(({ id }) => encodeGlobalId("Experiment", id));
	return (exampleId?: number, metric?: string) =>
		links.comparison(
			dataset,
			experiments,
			exampleId === undefined
				? undefined
				: { exampleId: encodeGlobalId("DatasetExample", exampleId), ...(metric === undefined ? {} : { metric }) },
		);
}
