import { expect, test } from "vitest";
import { snippets } from "./snippets.ts";

const ADDRESS = { origin: "http://127.0.0.1:6006/traces", project: "bike shop" };

test("without authentication, no snippet mentions keys", () => {
	for (const snippet of Object.values(snippets({ ...ADDRESS, needsKey: false }))) {
		expect(Object.values(snippet).join("\n")).not.toMatch(/SERVICE_API_KEY|authorization/i);
	}
});

test("with authentication the key is in one variable and the header's name in lower case", () => {
	for (const { environment, code } of Object.values(snippets({ ...ADDRESS, needsKey: true, apiKey: "sw_u_1" }))) {
		expect(environment).toBe("export SERVICE_API_KEY='sw_u_1'");
		expect(code).toMatch(/\bauthorization\b/);
		expect(code).toContain("SERVICE_API_KEY");
		expect(code).not.toContain("sw_u_1");
	}
});

test("the headers variable of exporters has no white space, as W3C baggage requires", () => {
	expect(snippets({ ...ADDRESS, needsKey: true }).otel.code).toContain(
		'OTEL_EXPORTER_OTLP_TRACES_HEADERS="authorization=Bearer%20$SERVICE_API_KEY"',
	);
});

test("every snippet names this server and the project", () => {
	const { python, typescript, otel } = snippets({ ...ADDRESS, needsKey: false });
	expect(python.code).toContain('endpoint="http://127.0.0.1:6006/traces/v1/traces"');
	expect(typescript.code).toContain('url: "http://127.0.0.1:6006/traces"');
	expect(otel.code).toContain("openinference.project.name=bike%20shop");
});
