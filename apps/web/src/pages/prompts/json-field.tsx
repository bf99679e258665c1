import type { ReactNode } from "react";
import { Field } from "../../ui/input.tsx";

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
			<textarea
				value={value}
				rows={2}
				spellCheck={false}
				autoComplete="off"
				aria-invalid={problem !== undefined}
				onChange={(event) => onChange(event.target.value)}
				className={`field-sizing-content max-h-[60vh] resize-y rounded border border-line-strong bg-surface p-2 font-mono text-sm aria-[invalid=true]:border-danger ${className}`}
			/>
		</Field>
	);
}
