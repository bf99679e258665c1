export {
	type AnswerPair,
	type ConfusionMatrix,
	confusionByRaters,
	confusionMatrix,
	MAX_LABELS,
	type RaterPair,
} from "./confusion-matrix.ts";
export { type LabelScore, scoreLabels } from "./label-scores.ts";
export { MIN_PAIRS } from "./measure.ts";
export { type Agreement, type AgreementOptions, measureAgreement } from "./measure-agreement.ts";
export { type Calibration, type CalibrationOptions, measureCalibration } from "./measure-calibration.ts";
export { measurePair, type PairAgreement } from "./measure-pair.ts";
export type * from "./model.ts";
export { runInOneGo, runInSlices } from "./steps.ts";
