import { type AnswerPair, type ConfusionMatrix, countPairs } from "./confusion-matrix.ts";
import { type LabelScore, scoreLabels } from "./label-scores.ts";
import { measurePair, type PairAgreement } from "./measure-pair.ts";
import type { BootstrapOptions, Steps, Value } from "./model.ts";

export interface CalibrationOptions extends BootstrapOptions {
	/** Those that come first, in this order, whether they were given or not; the others ascend. */
	readonly labels?: readonly Value[];
}

export interface Calibration extends PairAgreement {
	/** Gold has the rows. */
	readonly matrix: ConfusionMatrix;
	/** In the order of the matrix's labels. */
	readonly labels: readonly LabelScore[];
}

/**
 * How far somebody, or a model, judges as gold does.
 *
 * @param pairs gold first
 * @throws RangeError for more than `MAX_LABELS` labels
 */
export function* measureCalibration(pairs: Iterable<AnswerPair>, options: CalibrationOptions = {}): Steps<Calibration> {
	const matrix = yield* countPairs(pairs, options.labels);
	return { ...(yield* measurePair(matrix, options)), matrix, labels: scoreLabels(matrix) };
}
