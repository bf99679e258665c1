import type { ReviewQueue } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import ChevronRight from "lucide-react/icons/chevron-right";
import type { ReactNode } from "react";
import { TopBar } from "../../shell/top-bar.tsx";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";

/** The bar above the pages of a queue, with the way back. */
export function QueueBar({ queue, page }: { queue: ReviewQueue | undefined; page?: string }): ReactNode {
	return (
		<TopBar>
			<nav aria-label={TEXTS.way} className="flex min-w-0 items-center gap-1 text-muted">
				<Link to="/reviews" className="hover:text-ink">
					{TEXTS.title}
				</Link>
				{queue && (
					<>
						<ChevronRight size={13} aria-hidden className="shrink-0" />
						{page === undefined ? (
							<span className="truncate text-ink">{queue.name}</span>
						) : (
							<Link to="/reviews/$queue/items" params={{ queue: queue.id }} className="truncate hover:text-ink">
								{queue.name}
							</Link>
						)}
					</>
				)}
				{page !== undefined && (
					<>
						<ChevronRight size={13} aria-hidden className="shrink-0" />
						<span className="truncate text-ink">{page}</span>
					</>
				)}
			</nav>
		</TopBar>
	);
}
