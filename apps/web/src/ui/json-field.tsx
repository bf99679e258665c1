import type { ReactNode } from "react";
import { HighlightedArea } from "./highlighting/highlighted-area.tsx";
import { Field } from "./input.tsx";

/** A text area for JSON. */
export function JsonField({
	label,
	hint,
	value,
	onChange,
	problem,
	className = "min-h-16",
}: {
	label: string;
	hint?: string;
	value: string;
	onChange: (value: string) => void;
	problem: string | undefined;
	className?: string;
}): ReactNode {
	return (
		<Field label={label} hint={hint} error={problem}>
			<HighlightedArea
				value={value}
				language="code"
				aria-invalid={problem !== undefined}
				onChange={(event) => onChange(event.target.value)}
				className={`max-h-[60vh] rounded border border-line-strong has-aria-invalid:border-danger ${className}`}
			/>
		</Field>
	);
}
