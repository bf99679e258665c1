export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = Readonly<Record<string, string>>;

interface Sample {
	readonly suffix: string;
	readonly labels: Labels;
	readonly value: number;
}

/** A metric with its samples: a "metric family" of Prometheus. */
export interface Family {
	readonly name: string;
	readonly type: "counter" | "gauge" | "histogram";
	readonly help: string;
	readonly samples: readonly Sample[];
}

export function sample(value: number, labels: Labels = {}, suffix = ""): Sample {
	return { value, labels, suffix };
}

export function counter(name: string, help: string, samples: number | readonly Sample[]): Family {
	return { name, type: "counter", help, samples: typeof samples === "number" ? [sample(samples)] : samples };
}

export function gauge(name: string, help: string, samples: number | readonly Sample[]): Family {
	return { name, type: "gauge", help, samples: typeof samples === "number" ? [sample(samples)] : samples };
}

/** The text exposition format. https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function toText(families: readonly Family[]): string {
	return `${families.flatMap(toLines).join("\n")}\n`;
}

function toLines({ name, type, help, samples }: Family): string[] {
	return [
		`# HELP ${name} ${help}`,
		`# TYPE ${name} ${type}`,
		...samples.map(({ suffix, labels, value }) => `${name}${suffix}${formatLabels(labels)} ${value}`),
	];
}

function formatLabels(labels: Labels): string {
	const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, escapeLabel)}"`);
	return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(character: string): string {
	return character === "\n" ? "\\n" : `\\${character}`;
}
