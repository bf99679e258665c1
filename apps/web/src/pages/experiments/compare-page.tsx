import type { ReactNode } from "react";

export function ComparePage(): ReactNode {
	return null;
}
