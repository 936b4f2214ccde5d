export { NodeGroupsPage } from './groups-page'
export { NodePage } from './node-page'
export { NodesPage } from './nodes-page'
export { SeveralNodesPage } from './several-page'
