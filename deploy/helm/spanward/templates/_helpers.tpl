{{- define "spanward.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "spanward.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "spanward.labels" -}}
{{ include "spanward.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* A setting whose value is a key of the Secret. */}}
{{- define "spanward.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end -}}

{{/* Whether a protocol is served over TLS: what is said of it alone counts before what is said of both. */}}
{{- define "spanward.isTls" -}}
{{- $both := .root.Values.settings.SERVICE_TLS_ENABLED | default "" -}}
{{- $own := get .root.Values.settings (printf "SERVICE_TLS_ENABLED_FOR_%s" .protocol) | default "" -}}
{{- if eq ($own | default $both | toString | trim | lower) "true" -}}true{{- end -}}
{{- end -}}

{{/* How the server speaks on its HTTP port. */}}
{{- define "spanward.scheme" -}}
{{- if include "spanward.isTls" (dict "root" . "protocol" "HTTP") -}}https{{- else -}}http{{- end -}}
{{- end -}}

{{/* How a probe asks. The kubelet has no certificate to show; a port that is open is the best there is then. */}}
{{- define "spanward.probe" -}}
{{- $settings := .root.Values.settings -}}
{{- $wantsCertificate := eq ($settings.SERVICE_TLS_VERIFY_CLIENT | default "" | toString | trim | lower) "true" -}}
{{- if and $wantsCertificate (include "spanward.isTls" (dict "root" .root "protocol" "HTTP")) -}}
tcpSocket:
  port: http
{{- else -}}
httpGet:
  path: {{ .root.Values.rootPath }}{{ .path }}
  port: http
  scheme: {{ include "spanward.scheme" .root | upper }}
{{- end -}}
{{- end -}}

{{- define "spanward.pod" -}}
metadata:
  labels:
    {{- include "spanward.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # Kubernetes would set SERVICE_PORT and the like for a service of that name.
  enableServiceLinks: false
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 30
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    # Not file by file at each start of a large volume.
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: spanward
      image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: ["ALL"]
      ports:
        - name: http
          containerPort: 6006
        - name: grpc
          containerPort: 4317
      env:
        - name: SERVICE_ENABLE_AUTH
          value: {{ .Values.authentication | quote }}
        {{- with .Values.rootUrl }}
        - name: SERVICE_ROOT_URL
          value: {{ . | quote }}
        {{- end }}
        {{- with .Values.rootPath }}
        - name: SERVICE_HOST_ROOT_PATH
          value: {{ . | quote }}
        {{- end }}
        {{- if .Values.authentication }}
        {{- include "spanward.fromSecret" (dict "name" "SERVICE_SECRET" "secret" .Values.existingSecret "key" "secret") | nindent 8 }}
        {{- include "spanward.fromSecret" (dict "name" "SERVICE_DEFAULT_ADMIN_INITIAL_PASSWORD" "secret" .Values.existingSecret "key" "admin-password") | nindent 8 }}
        {{- end }}
        {{- if eq .Values.storage "postgresql" }}
        {{- with .Values.postgresql }}
        - name: SERVICE_POSTGRES_HOST
          value: {{ .host | quote }}
        - name: SERVICE_POSTGRES_PORT
          value: {{ .port | quote }}
        - name: SERVICE_POSTGRES_DB
          value: {{ .database | quote }}
        - name: SERVICE_POSTGRES_USER
          value: {{ .user | quote }}
        - name: SERVICE_SQL_DATABASE_SCHEMA
          value: {{ .schema | quote }}
        {{- with .tlsMode }}
        - name: SERVICE_POSTGRES_TLS_MODE
          value: {{ . | quote }}
        {{- end }}
        {{- end }}
        {{- if not (hasKey .Values.settings "SERVICE_POSTGRES_PASSWORD_COMMAND") }}
        {{- include "spanward.fromSecret" (dict "name" "SERVICE_POSTGRES_PASSWORD" "secret" .Values.existingSecret "key" "postgres-password") | nindent 8 }}
        {{- end }}
        {{- end }}
        {{- if .Values.clickhouse.url }}
        {{- with .Values.clickhouse }}
        - name: SERVICE_CLICKHOUSE_URL
          value: {{ .url | quote }}
        - name: SERVICE_CLICKHOUSE_USER
          value: {{ .user | quote }}
        - name: SERVICE_CLICKHOUSE_DATABASE
          value: {{ .database | quote }}
        {{- with .cluster }}
        - name: SERVICE_CLICKHOUSE_CLUSTER
          value: {{ . | quote }}
        {{- end }}
        {{- end }}
        {{- include "spanward.fromSecret" (dict "name" "SERVICE_CLICKHOUSE_PASSWORD" "secret" .Values.existingSecret "key" "clickhouse-password") | nindent 8 }}
        {{- end }}
        {{- if and .Values.serviceMonitor.enabled (not (hasKey .Values.settings "SERVICE_ENABLE_PROMETHEUS")) }}
        - name: SERVICE_ENABLE_PROMETHEUS
          value: "true"
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- range $name, $key := .Values.secretSettings }}
        {{- include "spanward.fromSecret" (dict "name" $name "secret" $.Values.existingSecret "key" $key) | nindent 8 }}
        {{- end }}
      # Endpoints learn of the end a moment after the pod does.
      lifecycle:
        preStop:
          exec:
            command: ["node", "-e", "setTimeout(() => undefined, 5000)"]
      # An upgrade of a large database copies it before: an hour.
      startupProbe:
        {{- include "spanward.probe" (dict "root" . "path" "/readyz") | nindent 8 }}
        periodSeconds: 2
        failureThreshold: 1800
      readinessProbe:
        {{- include "spanward.probe" (dict "root" . "path" "/readyz") | nindent 8 }}
        periodSeconds: 5
        timeoutSeconds: 3
      livenessProbe:
        {{- include "spanward.probe" (dict "root" . "path" "/healthz") | nindent 8 }}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- range .Values.mounts }}
        - name: {{ printf "mount-%s" .name }}
          mountPath: /etc/spanward/{{ .name }}
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.storage "postgresql" }}
    - name: data
      emptyDir: {}
    {{- else if .Values.sqlite.existingClaim }}
    - name: data
      persistentVolumeClaim:
        claimName: {{ .Values.sqlite.existingClaim }}
    {{- end }}
    {{- range .Values.mounts }}
    - name: {{ printf "mount-%s" .name }}
      {{- if .configMap }}
      configMap:
        name: {{ .configMap }}
      {{- else }}
      secret:
        secretName: {{ .secret }}
      {{- end }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
