import type { Agreement, ConfusionMatrix, Estimate } from "@spanward/agreement";
import type { z } from "zod";
import type { QueueAgreement } from "./schemas.ts";
import type { MatrixFigures } from "./thread-messages.ts";

type WireQuestion = z.output<typeof QueueAgreement>["data"]["questions"][number];
type WireAgreement = WireQuestion["agreement"];
type WireEstimate = WireAgreement["percent_agreement"];

export function toEstimate(estimate: Estimate): WireEstimate {
	const { state, pairs } = estimate;
	if (estimate.state !== "measured") return { state, value: null, interval: null, pairs };
	const { value, interval } = estimate;
	return { state, value, interval: interval === undefined ? null : { low: interval.low, high: interval.high }, pairs };
}

export function toMeasured({ percentAgreement, cohensKappa, krippendorffsAlpha }: Agreement) {
	return {
		percent_agreement: toEstimate(percentAgreement),
		cohens_kappa: cohensKappa === undefined ? null : toEstimate(cohensKappa),
		krippendorffs_alpha: toEstimate(krippendorffsAlpha),
	};
}

export function toAgreement(agreement: Agreement): WireAgreement {
	const { items, answers, fleissKappa } = agreement;
	return {
		...{ items, answers, ...toMeasured(agreement) },
		fleiss_kappa: fleissKappa === undefined ? null : toEstimate(fleissKappa),
	};
}

export function toMatrix({ labels, counts, pairs }: ConfusionMatrix) {
	return { labels: labels.map(String), counts: counts.map((row) => [...row]), pairs };
}

export function toMatrixFigures({ matrix, percentAgreement, cohensKappa }: MatrixFigures) {
	return {
		matrix: toMatrix(matrix),
		percent_agreement: toEstimate(percentAgreement),
		cohens_kappa: toEstimate(cohensKappa),
	};
}
