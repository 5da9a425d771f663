import type { DataQuery, Dashboard as GrafanaDashboard, Panel, RowPanel } from '@grafana/schema'
import type {
  FieldConfig as HeatmapField,
  Options as HeatmapOptions,
} from '@grafana/schema/dist/esm/raw/composable/heatmap/panelcfg/x/HeatmapPanelCfg_types.gen'
import type {
  FieldConfig as StateTimelineField,
  Options as StateTimelineOptions,
} from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen'
import type {
  FieldConfig as TimeSeriesField,
  Options as TimeSeriesOptions,
} from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen'

/** As it stands in JSON: of an enum the text that it has. */
type Written<T> = T extends string ? `${T}` : T extends object ? { [Name in keyof T]: Written<T[Name]> } : T

/** What is left out has its default. */
type Parts<T> = T extends object ? { [Name in keyof T]?: Parts<T[Name]> } : T

/** Grafana's own plugin for Prometheus reads these; its package publishes no type. */
interface PrometheusQuery extends DataQuery {
  readonly expr: string
  readonly legendFormat: string
  readonly format?: 'time_series' | 'table' | 'heatmap'
}

type Kept = Omit<Written<Panel>, 'type' | 'options' | 'fieldConfig' | 'targets' | 'datasource'>
type Defaults = Omit<NonNullable<Written<Panel>['fieldConfig']>['defaults'], 'custom'>

interface PanelOf<Type extends string, Options, Field> extends Kept {
  type: Type
  datasource: { type: 'prometheus'; uid: string }
  options: Parts<Written<Options>>
  fieldConfig: { defaults: Defaults & { custom?: Parts<Written<Field>> }; overrides: [] }
  targets: PrometheusQuery[]
}

/** A dashboard of Grafana with panels of these types, as its schema has them. Another type of panel has to be added here. */
export interface Dashboard extends Omit<Written<GrafanaDashboard>, 'panels'> {
  panels: (
    | (Omit<Written<RowPanel>, 'type'> & { type: 'row' })
    | PanelOf<'timeseries', TimeSeriesOptions, TimeSeriesField>
    | PanelOf<'heatmap', HeatmapOptions, HeatmapField>
    | PanelOf<'state-timeline', StateTimelineOptions, StateTimelineField>
  )[]
}
