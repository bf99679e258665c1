import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface SelectProps<T extends string> {
	readonly value: T;
	readonly onChange: (value: T) => void;
	readonly choices: readonly { readonly value: T; readonly label: string }[];
	/** Its name, when no label stands around it. */
	readonly label?: string;
	readonly className?: string;
	readonly disabled?: boolean;
}

/** One of several in the browser's own list, which phones and screen readers know best. */
export function Select<T extends string>({
	value,
	onChange,
	choices,
	label,
	className,
	disabled,
}: SelectProps<T>): ReactNode {
	return (
		<select
			value={value}
			disabled={disabled}
			{...(label === undefined ? {} : { "aria-label": label })}
			onChange={(event) => {
				const choice = choices.find((each) => each.value === event.target.value);
				if (choice) onChange(choice.value);
			}}
			className={classNames(
				"h-7 min-w-0 rounded border border-line-strong bg-surface px-1.5 text-base text-ink disabled:opacity-60 pointer-coarse:h-11",
				className,
			)}
		>
			{choices.map((choice) => (
				<option key={choice.value} value={choice.value}>
					{choice.label}
				</option>
			))}
		</select>
	);
}
