{{/* The name of all objects: that of the release. */}}
{{- define "sluice.name" -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* The task file. A variable that no Secret fills is refused here, before a pod fails for it. */}}
{{- define "sluice.task" -}}
{{- if not .Values.task }}
{{- fail "task: is empty; expected the task file without data-dir and http. The example in values.yaml is one" }}
{{- end }}
{{- $file := merge (dict "data-dir" "/var/lib/sluice/data" "http" "0.0.0.0:8080") .Values.task }}
{{- $text := toYaml $file }}
{{- $given := list }}
{{- range .Values.secrets }}
{{- $given = append $given .variable }}
{{- end }}
{{- range regexFindAll "\\$\\{env:[^}]*\\}" $text -1 }}
{{- $variable := trimSuffix "}" (trimPrefix "${env:" .) }}
{{- if not (has $variable $given) }}
{{- fail (printf "task: %s stands for a variable that nothing fills; expected an entry of secrets: with variable: %s, and the name and key of a Secret" . $variable) }}
{{- end }}
{{- end }}
{{- $text }}
{{- end }}
