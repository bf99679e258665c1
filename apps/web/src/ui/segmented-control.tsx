import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";
import type { ReactNode } from "react";

export interface SegmentedControlProps<T extends string> {
	readonly label: string;
	readonly value: T;
	readonly onChange: (value: T) => void;
	readonly choices: readonly { readonly value: T; readonly label: ReactNode }[];
}

/** One of a few, all in sight. */
export function SegmentedControl<T extends string>({
	label,
	value,
	onChange,
	choices,
}: SegmentedControlProps<T>): ReactNode {
	return (
		<ToggleGroup
			aria-label={label}
			value={[value]}
			onValueChange={(values: unknown[]) => {
				const choice = choices.find((each) => each.value === values[0]);
				if (choice) onChange(choice.value);
			}}
			className="inline-flex h-7 shrink-0 rounded border border-line-strong p-px"
		>
			{choices.map((choice) => (
				<Toggle
					key={choice.value}
					value={choice.value}
					className="rounded-[3px] px-2 text-muted hover:text-ink data-[pressed]:bg-accent-soft data-[pressed]:text-accent"
				>
					{choice.label}
				</Toggle>
			))}
		</ToggleGroup>
	);
}
