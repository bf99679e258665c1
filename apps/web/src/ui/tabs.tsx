import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface TabItem<T extends string> {
	readonly value: T;
	readonly label: ReactNode;
	/** Shown after the label, such as a count. */
	readonly badge?: ReactNode;
	readonly content: ReactNode;
}

export interface TabsProps<T extends string> {
	/** What the tabs are of, for screen readers. */
	readonly label: string;
	readonly value: T;
	readonly onChange: (value: T) => void;
	readonly items: readonly TabItem<T>[];
	readonly className?: string;
	readonly panelClassName?: string;
	/** At the right end of the row of tabs. */
	readonly aside?: ReactNode;
}

/** Tabs inside a page. (The tabs of a project are links: each has its own address.) */
export function Tabs<T extends string>({
	label,
	value,
	onChange,
	items,
	className,
	panelClassName,
	aside,
}: TabsProps<T>): ReactNode {
	return (
		<Base.Root
			value={value}
			onValueChange={(next) => {
				const item = items.find((each) => each.value === next);
				if (item) onChange(item.value);
			}}
			className={classNames("flex min-h-0 flex-col", className)}
		>
			<div className="flex shrink-0 items-center border-line border-b">
				<Base.List aria-label={label} className="flex min-w-0 gap-1 overflow-x-auto px-2">
					{items.map((item) => (
						<Base.Tab
							key={item.value}
							value={item.value}
							className="-mb-px flex h-8 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-2 text-muted hover:text-ink data-[active]:border-accent data-[active]:text-ink"
						>
							{item.label}
							{item.badge !== undefined && <span className="text-muted text-xs">{item.badge}</span>}
						</Base.Tab>
					))}
				</Base.List>
				{aside && <div className="ml-auto flex items-center gap-1 pr-2">{aside}</div>}
			</div>
			{items.map((item) => (
				<Base.Panel
					key={item.value}
					value={item.value}
					className={classNames("min-h-0 flex-1 overflow-auto", panelClassName)}
				>
					{item.content}
				</Base.Panel>
			))}
		</Base.Root>
	);
}
