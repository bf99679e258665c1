import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface EmptyStateProps {
	readonly icon?: ReactNode;
	readonly title: string;
	/** What to do about it. */
	readonly text?: ReactNode;
	readonly actions?: ReactNode;
	readonly children?: ReactNode;
	readonly className?: string;
}

/** Says why there is nothing here and what to do. */
export function EmptyState({ icon, title, text, actions, children, className }: EmptyStateProps): ReactNode {
	return (
		<div className={classNames("flex flex-col items-center gap-2 px-4 py-12 text-center", className)}>
			{icon && <div className="text-muted">{icon}</div>}
			<h2 className="font-semibold text-lg">{title}</h2>
			{text && <p className="max-w-prose text-muted">{text}</p>}
			{actions && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
			{children}
		</div>
	);
}
