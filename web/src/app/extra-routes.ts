export { routeTree } from '@/extraRouteTree.gen'
