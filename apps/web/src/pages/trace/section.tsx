import type { ReactNode } from "react";

/** A titled part of a span's details. */
export function Section({
	title,
	aside,
	children,
}: {
	title: ReactNode;
	aside?: ReactNode;
	children: ReactNode;
}): ReactNode {
	return (
		<section className="min-w-0">
			<div className="mb-1.5 flex h-6 items-center gap-2">
				<h4 className="font-semibold text-muted text-sm">{title}</h4>
				{aside}
			</div>
			{children}
		</section>
	);
}
