import type { ReactNode } from "react";
import { Chip } from "../ui/chip.tsx";
import type { AnnotationResult } from "./types.ts";

/** The label and the score of an annotation; nothing where there is neither. */
export function AnnotationValue({ result }: { result: AnnotationResult | null | undefined }): ReactNode {
	const { label, score } = result ?? {};
	const number = score === null || score === undefined ? undefined : formatScore(score);
	if (!label && number === undefined) return null;
	return (
		<Chip>
			{label && <span className="truncate">{label}</span>}
			{number !== undefined && <span className={label ? "text-muted" : undefined}>{number}</span>}
		</Chip>
	);
}

/** 0.8571428 as 0.857, 12 as 12. */
export function formatScore(score: number): string {
	return String(Number(score.toPrecision(3)));
}
